// Package linux has the numbers of the Linux kernel's interface: what a script
// of package glove is made of. A script runs in a box, and a box is always
// Linux, on this machine's kind of processor, whatever the host is; so these are
// plain constants on every host, where those of golang.org/x/sys/unix are the
// host's own.
//
// The names are the kernel's, as in golang.org/x/sys/unix. The source of each
// number is the kernel header named beside it, below include/uapi.
package linux
