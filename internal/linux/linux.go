// Package linux has the numbers of the Linux kernel's interface, for scripts of
// package glove. A script runs in a box, and a box is always Linux, on this
// machine's kind of processor, whatever the host. So these are plain constants
// on every host, while the constants of golang.org/x/sys/unix are the host's
// own.
//
// The names are the kernel's, as in golang.org/x/sys/unix. The source of each
// number is the kernel header named beside it, below include/uapi.
package linux
