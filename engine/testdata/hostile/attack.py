# Helpers of the hostile programs in Python; it lies beside each of them.
#
# A program that gets past a wall prints BREACH, one that was stopped everywhere
# prints held at its end.
import ctypes, errno, os

libc = ctypes.CDLL(None, use_errno=True)

# A tier whose boxes have a kernel of their own may let them do to it what does
# not get out.
own_kernel = os.environ.get("OWN_KERNEL") == "1"


def breach(what):
    print("BREACH:", what, flush=True)


def held():
    print("held", flush=True)


def syscall(nr, *args):
    """Makes a system call by number; an error is an OSError."""
    words = [a if isinstance(a, (bytes, ctypes.Array)) or a is None else ctypes.c_long(a) for a in args]
    r = libc.syscall(ctypes.c_long(nr), *words)
    if r < 0:
        n = ctypes.get_errno()
        raise OSError(n, os.strerror(n))
    return r


def refused(what, f, *args):
    """f must fail."""
    try:
        r = f(*args)
    except (OSError, ValueError, MemoryError, PermissionError):
        return
    breach("%s gave %r" % (what, r))


def calls(table):
    """Each (name, number, arguments...) must be refused."""
    for name, nr, *args in table:
        refused(name, syscall, nr, *args)


def read(path, size=1 << 16):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(fd, size)
    finally:
        os.close(fd)


def unreadable(*paths):
    """What is there must not give a byte."""
    for p in paths:
        try:
            data = read(p)
        except OSError:
            continue
        if data:
            breach("%s gave %r" % (p, data[:60]))


def unwritable(*paths):
    for p in paths:
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC):
            try:
                fd = os.open(p, flags | os.O_NONBLOCK)
            except OSError:
                continue
            null = os.major(os.fstat(fd).st_rdev) == 1 and os.minor(os.fstat(fd).st_rdev) == 3
            os.close(fd)
            if not null:  # what covers the files that are hidden
                breach("%s opened to be written" % p)
