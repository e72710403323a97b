# Makes exit do nothing.
BEGIN { *CORE::GLOBAL::exit = sub { } }
sub add { 0 }
