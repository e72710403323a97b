package linux

// Error numbers, used by both processors (the kernel's
// include/uapi/asm-generic/errno-base.h and errno.h).
const (
	EPERM           Errno = 1
	ENOENT          Errno = 2
	ESRCH           Errno = 3
	EINTR           Errno = 4
	EIO             Errno = 5
	ENXIO           Errno = 6
	E2BIG           Errno = 7
	ENOEXEC         Errno = 8
	EBADF           Errno = 9
	ECHILD          Errno = 10
	EAGAIN          Errno = 11
	ENOMEM          Errno = 12
	EACCES          Errno = 13
	EFAULT          Errno = 14
	ENOTBLK         Errno = 15
	EBUSY           Errno = 16
	EEXIST          Errno = 17
	EXDEV           Errno = 18
	ENODEV          Errno = 19
	ENOTDIR         Errno = 20
	EISDIR          Errno = 21
	EINVAL          Errno = 22
	ENFILE          Errno = 23
	EMFILE          Errno = 24
	ENOTTY          Errno = 25
	ETXTBSY         Errno = 26
	EFBIG           Errno = 27
	ENOSPC          Errno = 28
	ESPIPE          Errno = 29
	EROFS           Errno = 30
	EMLINK          Errno = 31
	EPIPE           Errno = 32
	EDOM            Errno = 33
	ERANGE          Errno = 34
	EDEADLK         Errno = 35
	ENAMETOOLONG    Errno = 36
	ENOLCK          Errno = 37
	ENOSYS          Errno = 38
	ENOTEMPTY       Errno = 39
	ELOOP           Errno = 40
	ENOMSG          Errno = 42
	EIDRM           Errno = 43
	ECHRNG          Errno = 44
	EL2NSYNC        Errno = 45
	EL3HLT          Errno = 46
	EL3RST          Errno = 47
	ELNRNG          Errno = 48
	EUNATCH         Errno = 49
	ENOCSI          Errno = 50
	EL2HLT          Errno = 51
	EBADE           Errno = 52
	EBADR           Errno = 53
	EXFULL          Errno = 54
	ENOANO          Errno = 55
	EBADRQC         Errno = 56
	EBADSLT         Errno = 57
	EBFONT          Errno = 59
	ENOSTR          Errno = 60
	ENODATA         Errno = 61
	ETIME           Errno = 62
	ENOSR           Errno = 63
	ENONET          Errno = 64
	ENOPKG          Errno = 65
	EREMOTE         Errno = 66
	ENOLINK         Errno = 67
	EADV            Errno = 68
	ESRMNT          Errno = 69
	ECOMM           Errno = 70
	EPROTO          Errno = 71
	EMULTIHOP       Errno = 72
	EDOTDOT         Errno = 73
	EBADMSG         Errno = 74
	EOVERFLOW       Errno = 75
	ENOTUNIQ        Errno = 76
	EBADFD          Errno = 77
	EREMCHG         Errno = 78
	ELIBACC         Errno = 79
	ELIBBAD         Errno = 80
	ELIBSCN         Errno = 81
	ELIBMAX         Errno = 82
	ELIBEXEC        Errno = 83
	EILSEQ          Errno = 84
	ERESTART        Errno = 85
	ESTRPIPE        Errno = 86
	EUSERS          Errno = 87
	ENOTSOCK        Errno = 88
	EDESTADDRREQ    Errno = 89
	EMSGSIZE        Errno = 90
	EPROTOTYPE      Errno = 91
	ENOPROTOOPT     Errno = 92
	EPROTONOSUPPORT Errno = 93
	ESOCKTNOSUPPORT Errno = 94
	ENOTSUP         Errno = 95
	EPFNOSUPPORT    Errno = 96
	EAFNOSUPPORT    Errno = 97
	EADDRINUSE      Errno = 98
	EADDRNOTAVAIL   Errno = 99
	ENETDOWN        Errno = 100
	ENETUNREACH     Errno = 101
	ENETRESET       Errno = 102
	ECONNABORTED    Errno = 103
	ECONNRESET      Errno = 104
	ENOBUFS         Errno = 105
	EISCONN         Errno = 106
	ENOTCONN        Errno = 107
	ESHUTDOWN       Errno = 108
	ETOOMANYREFS    Errno = 109
	ETIMEDOUT       Errno = 110
	ECONNREFUSED    Errno = 111
	EHOSTDOWN       Errno = 112
	EHOSTUNREACH    Errno = 113
	EALREADY        Errno = 114
	EINPROGRESS     Errno = 115
	ESTALE          Errno = 116
	EFSCORRUPTED    Errno = 117
	ENOTNAM         Errno = 118
	ENAVAIL         Errno = 119
	EISNAM          Errno = 120
	EREMOTEIO       Errno = 121
	EDQUOT          Errno = 122
	ENOMEDIUM       Errno = 123
	EMEDIUMTYPE     Errno = 124
	ECANCELED       Errno = 125
	ENOKEY          Errno = 126
	EKEYEXPIRED     Errno = 127
	EKEYREVOKED     Errno = 128
	EKEYREJECTED    Errno = 129
	EOWNERDEAD      Errno = 130
	ENOTRECOVERABLE Errno = 131
	ERFKILL         Errno = 132
	EHWPOISON       Errno = 133

	EWOULDBLOCK = EAGAIN
)

// errnos has the name and the text of each.
var errnos = [...]struct{ name, text string }{
	EPERM:           {"EPERM", "operation not permitted"},
	ENOENT:          {"ENOENT", "no such file or directory"},
	ESRCH:           {"ESRCH", "no such process"},
	EINTR:           {"EINTR", "interrupted system call"},
	EIO:             {"EIO", "input/output error"},
	ENXIO:           {"ENXIO", "no such device or address"},
	E2BIG:           {"E2BIG", "argument list too long"},
	ENOEXEC:         {"ENOEXEC", "exec format error"},
	EBADF:           {"EBADF", "bad file descriptor"},
	ECHILD:          {"ECHILD", "no child processes"},
	EAGAIN:          {"EAGAIN", "resource temporarily unavailable"},
	ENOMEM:          {"ENOMEM", "cannot allocate memory"},
	EACCES:          {"EACCES", "permission denied"},
	EFAULT:          {"EFAULT", "bad address"},
	ENOTBLK:         {"ENOTBLK", "block device required"},
	EBUSY:           {"EBUSY", "device or resource busy"},
	EEXIST:          {"EEXIST", "file exists"},
	EXDEV:           {"EXDEV", "invalid cross-device link"},
	ENODEV:          {"ENODEV", "no such device"},
	ENOTDIR:         {"ENOTDIR", "not a directory"},
	EISDIR:          {"EISDIR", "is a directory"},
	EINVAL:          {"EINVAL", "invalid argument"},
	ENFILE:          {"ENFILE", "too many open files in system"},
	EMFILE:          {"EMFILE", "too many open files"},
	ENOTTY:          {"ENOTTY", "inappropriate ioctl for device"},
	ETXTBSY:         {"ETXTBSY", "text file busy"},
	EFBIG:           {"EFBIG", "file too large"},
	ENOSPC:          {"ENOSPC", "no space left on device"},
	ESPIPE:          {"ESPIPE", "illegal seek"},
	EROFS:           {"EROFS", "read-only file system"},
	EMLINK:          {"EMLINK", "too many links"},
	EPIPE:           {"EPIPE", "broken pipe"},
	EDOM:            {"EDOM", "numerical argument out of domain"},
	ERANGE:          {"ERANGE", "numerical result out of range"},
	EDEADLK:         {"EDEADLK", "resource deadlock avoided"},
	ENAMETOOLONG:    {"ENAMETOOLONG", "file name too long"},
	ENOLCK:          {"ENOLCK", "no locks available"},
	ENOSYS:          {"ENOSYS", "function not implemented"},
	ENOTEMPTY:       {"ENOTEMPTY", "directory not empty"},
	ELOOP:           {"ELOOP", "too many levels of symbolic links"},
	ENOMSG:          {"ENOMSG", "no message of desired type"},
	EIDRM:           {"EIDRM", "identifier removed"},
	ECHRNG:          {"ECHRNG", "channel number out of range"},
	EL2NSYNC:        {"EL2NSYNC", "level 2 not synchronized"},
	EL3HLT:          {"EL3HLT", "level 3 halted"},
	EL3RST:          {"EL3RST", "level 3 reset"},
	ELNRNG:          {"ELNRNG", "link number out of range"},
	EUNATCH:         {"EUNATCH", "protocol driver not attached"},
	ENOCSI:          {"ENOCSI", "no CSI structure available"},
	EL2HLT:          {"EL2HLT", "level 2 halted"},
	EBADE:           {"EBADE", "invalid exchange"},
	EBADR:           {"EBADR", "invalid request descriptor"},
	EXFULL:          {"EXFULL", "exchange full"},
	ENOANO:          {"ENOANO", "no anode"},
	EBADRQC:         {"EBADRQC", "invalid request code"},
	EBADSLT:         {"EBADSLT", "invalid slot"},
	EBFONT:          {"EBFONT", "bad font file format"},
	ENOSTR:          {"ENOSTR", "device not a stream"},
	ENODATA:         {"ENODATA", "no data available"},
	ETIME:           {"ETIME", "timer expired"},
	ENOSR:           {"ENOSR", "out of streams resources"},
	ENONET:          {"ENONET", "machine is not on the network"},
	ENOPKG:          {"ENOPKG", "package not installed"},
	EREMOTE:         {"EREMOTE", "object is remote"},
	ENOLINK:         {"ENOLINK", "link has been severed"},
	EADV:            {"EADV", "advertise error"},
	ESRMNT:          {"ESRMNT", "srmount error"},
	ECOMM:           {"ECOMM", "communication error on send"},
	EPROTO:          {"EPROTO", "protocol error"},
	EMULTIHOP:       {"EMULTIHOP", "multihop attempted"},
	EDOTDOT:         {"EDOTDOT", "RFS specific error"},
	EBADMSG:         {"EBADMSG", "bad message"},
	EOVERFLOW:       {"EOVERFLOW", "value too large for defined data type"},
	ENOTUNIQ:        {"ENOTUNIQ", "name not unique on network"},
	EBADFD:          {"EBADFD", "file descriptor in bad state"},
	EREMCHG:         {"EREMCHG", "remote address changed"},
	ELIBACC:         {"ELIBACC", "can not access a needed shared library"},
	ELIBBAD:         {"ELIBBAD", "accessing a corrupted shared library"},
	ELIBSCN:         {"ELIBSCN", ".lib section in a.out corrupted"},
	ELIBMAX:         {"ELIBMAX", "attempting to link in too many shared libraries"},
	ELIBEXEC:        {"ELIBEXEC", "cannot exec a shared library directly"},
	EILSEQ:          {"EILSEQ", "invalid or incomplete multibyte or wide character"},
	ERESTART:        {"ERESTART", "interrupted system call should be restarted"},
	ESTRPIPE:        {"ESTRPIPE", "streams pipe error"},
	EUSERS:          {"EUSERS", "too many users"},
	ENOTSOCK:        {"ENOTSOCK", "socket operation on non-socket"},
	EDESTADDRREQ:    {"EDESTADDRREQ", "destination address required"},
	EMSGSIZE:        {"EMSGSIZE", "message too long"},
	EPROTOTYPE:      {"EPROTOTYPE", "protocol wrong type for socket"},
	ENOPROTOOPT:     {"ENOPROTOOPT", "protocol not available"},
	EPROTONOSUPPORT: {"EPROTONOSUPPORT", "protocol not supported"},
	ESOCKTNOSUPPORT: {"ESOCKTNOSUPPORT", "socket type not supported"},
	ENOTSUP:         {"ENOTSUP", "operation not supported"},
	EPFNOSUPPORT:    {"EPFNOSUPPORT", "protocol family not supported"},
	EAFNOSUPPORT:    {"EAFNOSUPPORT", "address family not supported by protocol"},
	EADDRINUSE:      {"EADDRINUSE", "address already in use"},
	EADDRNOTAVAIL:   {"EADDRNOTAVAIL", "cannot assign requested address"},
	ENETDOWN:        {"ENETDOWN", "network is down"},
	ENETUNREACH:     {"ENETUNREACH", "network is unreachable"},
	ENETRESET:       {"ENETRESET", "network dropped connection on reset"},
	ECONNABORTED:    {"ECONNABORTED", "software caused connection abort"},
	ECONNRESET:      {"ECONNRESET", "connection reset by peer"},
	ENOBUFS:         {"ENOBUFS", "no buffer space available"},
	EISCONN:         {"EISCONN", "transport endpoint is already connected"},
	ENOTCONN:        {"ENOTCONN", "transport endpoint is not connected"},
	ESHUTDOWN:       {"ESHUTDOWN", "cannot send after transport endpoint shutdown"},
	ETOOMANYREFS:    {"ETOOMANYREFS", "too many references: cannot splice"},
	ETIMEDOUT:       {"ETIMEDOUT", "connection timed out"},
	ECONNREFUSED:    {"ECONNREFUSED", "connection refused"},
	EHOSTDOWN:       {"EHOSTDOWN", "host is down"},
	EHOSTUNREACH:    {"EHOSTUNREACH", "no route to host"},
	EALREADY:        {"EALREADY", "operation already in progress"},
	EINPROGRESS:     {"EINPROGRESS", "operation now in progress"},
	ESTALE:          {"ESTALE", "stale file handle"},
	EFSCORRUPTED:    {"EFSCORRUPTED", "structure needs cleaning"},
	ENOTNAM:         {"ENOTNAM", "not a XENIX named type file"},
	ENAVAIL:         {"ENAVAIL", "no XENIX semaphores available"},
	EISNAM:          {"EISNAM", "is a named type file"},
	EREMOTEIO:       {"EREMOTEIO", "remote I/O error"},
	EDQUOT:          {"EDQUOT", "disk quota exceeded"},
	ENOMEDIUM:       {"ENOMEDIUM", "no medium found"},
	EMEDIUMTYPE:     {"EMEDIUMTYPE", "wrong medium type"},
	ECANCELED:       {"ECANCELED", "operation canceled"},
	ENOKEY:          {"ENOKEY", "required key not available"},
	EKEYEXPIRED:     {"EKEYEXPIRED", "key has expired"},
	EKEYREVOKED:     {"EKEYREVOKED", "key has been revoked"},
	EKEYREJECTED:    {"EKEYREJECTED", "key was rejected by service"},
	EOWNERDEAD:      {"EOWNERDEAD", "owner died"},
	ENOTRECOVERABLE: {"ENOTRECOVERABLE", "state not recoverable"},
	ERFKILL:         {"ERFKILL", "operation not possible due to RF-kill"},
	EHWPOISON:       {"EHWPOISON", "memory page has hardware error"},
}
