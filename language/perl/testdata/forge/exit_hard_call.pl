# Exits hard when it is called.
use POSIX ();
sub add { POSIX::_exit(0) }
