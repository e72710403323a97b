# Exits with 0 when it is called.
sub add { exit 0 }
