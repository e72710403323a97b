# want: pass
import os
from attack import *
devices = "mem kmem port kmsg sda vda nvme0n1 loop0 loop-control fuse kvm net/tun mapper/control uinput input/event0 dri/card0 snd/timer vhost-net vsock userfaultfd hwrng mcelog cpu/0/msr rfkill tty0 tty1 ttyS0 console hpet nvram watchdog bus/usb/001/001".split()
for d in set(devices) - ({"fuse", "net/tun"} if own_kernel else set()):
    for flags in (os.O_RDONLY, os.O_RDWR):
        refused("/dev/" + d, lambda: os.open("/dev/" + d, flags | os.O_NONBLOCK))
print(sorted(os.listdir("/dev")))
held()
