#ifndef DECANT_C_FAULTS_H
#define DECANT_C_FAULTS_H

/* Makes the system call that `what` names, as a compromised decoder might. Returns its result; a negative number means
 * that it was denied. */
long cfaults_try(const char *what);

#endif
