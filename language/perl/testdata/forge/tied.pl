# Returns a scalar that changes whenever it is read.
package Tied;
sub TIESCALAR { bless [], shift }
sub FETCH { 4 }
package main;
tie my $x, "Tied";
sub add { $x }
