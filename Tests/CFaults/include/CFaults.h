#ifndef DECANT_C_FAULTS_H
#define DECANT_C_FAULTS_H

/* What a decoder that was taken over might try, each by the system call itself. Returns what the call gave; negative is
 * refused. */
long cfaults_try(const char *what);

#endif
