# Exits with 0 while it is loaded.
exit 0;
sub add { 0 }
