/* Declarations of the C library that its Swift module does not contain: epoll(7), eventfd(2) and accept4(2). */
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* `address` points to a struct sockaddr, and `bytes` to its length. */
int accept4(int descriptor, void *_Nullable address, unsigned int *_Nullable bytes, int flags);
