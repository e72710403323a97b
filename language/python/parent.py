"""A process that is ready is copied for each of many boxes, by the glove.

The glove is a program that does what the host says, and no more: see its Go
package. Here it is loaded into this process and called as a function.
"""
import os
import sys

IMAGE = 39  # the glove, as an ELF executable
ALIGN = 1 << 16
NOTHING = 0, 0
READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE, ANONYMOUS, FIXED_NOREPLACE = 0x2, 0x20, 0x100000


def wanted():
    """Tells whether this process is to be copied, rather than wait in one box."""
    try:
        os.fstat(IMAGE)
    except OSError:
        return False
    return True


def copies():
    """Gives this process to the glove, and returns in copies of it alone."""
    import _signal
    import gc
    loaded = set(sys.modules)
    import ctypes
    libc = ctypes.CDLL(None)
    entry, spans = load(ctypes, libc)
    enter = ctypes.PYFUNCTYPE(None)(entry)
    before, after = ctypes.pythonapi.PyOS_BeforeFork, ctypes.pythonapi.PyOS_AfterFork_Child
    before.restype = after.restype = None
    handlers = [(n, _signal.getsignal(n)) for n in range(1, 32)]
    handlers = [(n, h) for n, h in handlers if h not in (None, _signal.SIG_DFL)]
    munmap = libc.munmap
    # What a copy touches costs it a page, so it frees nothing of all this, not
    # even a set of names; but a program does not see what it has not loaded.
    kept.extend(sys.modules.pop(name) for name in set(sys.modules) - loaded)
    kept.extend((libc, enter, before, after, munmap, spans, handlers, loaded))
    # Once here, or each copy looks them up.
    before()
    after()
    munmap(*NOTHING)
    gc.collect()
    alone()
    gc.freeze()
    before()
    enter()
    after()
    for n, handler in handlers:  # the glove undid them: commands inherit what it ignores
        _signal.signal(n, handler)
    for span in spans:
        if munmap(*span) != 0:
            raise OSError("the glove stays")


kept = []  # what is not to be freed


def alone():
    """Raises an error if copies of this process could write to the same memory."""
    with open("/proc/self/smaps", "rb") as spans:
        for line in spans:
            # "sh" is not said of files that were opened to be read.
            if line.startswith(b"VmFlags:") and b"sh" in line.split():
                raise OSError("its copies would share memory")


def load(ctypes, libc):
    """Maps the segments of the glove's image where they want to be, and returns
    the address of its entry, and what was mapped."""
    image = os.pread(IMAGE, os.fstat(IMAGE).st_size, 0)

    def number(at, size=8):
        return int.from_bytes(image[at:at + size], sys.byteorder)

    libc.mmap.restype = ctypes.c_void_p
    spans = []
    first, size, count = number(32), number(54, 2), number(56, 2)
    for head in range(first, first + count * size, size):
        flags, offset, address, filled, whole = number(head + 4, 4), number(head + 8), number(head + 16), number(head + 32), number(head + 40)
        span = ctypes.c_void_p(address), ctypes.c_size_t(-(-whole // ALIGN) * ALIGN)
        if libc.mmap(*span, READ | WRITE, PRIVATE | ANONYMOUS | FIXED_NOREPLACE, -1, ctypes.c_long(0)) != address:
            raise OSError("there is no room for the glove")
        ctypes.memmove(span[0], image[offset:offset + filled], filled)
        if flags & 1 and libc.mprotect(*span, READ | EXECUTE) != 0:
            raise OSError("the glove cannot be executed")
        spans.append(span)
    return number(24), spans
