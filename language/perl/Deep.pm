package Test::Deep;

# A small stand-in for Test::Deep: eq_deeply, cmp_deeply and the common special
# comparisons.
use strict;
use warnings;
use Exporter 'import';
use Scalar::Util qw(blessed reftype looks_like_number refaddr);

our $VERSION = '1.2';
our @EXPORT  = qw(
    eq_deeply cmp_deeply cmp_bag cmp_set cmp_methods ignore any all none bag set superbagof subbagof superhashof subhashof
    array_each hash_each num str re bool code isa noclass useclass methods shallow scalref
);
our @EXPORT_OK = ( @EXPORT, qw(TD TRUE FALSE) );
our %EXPORT_TAGS = ( v0 => \@EXPORT, v1 => \@EXPORT, preload => [] );

sub special { my ( $compare, $name ) = @_; return bless { compare => $compare, name => $name }, 'Test::Deep::Special' }

sub eq_deeply {
    my ( $got, $expected ) = @_;
    my $same = same( $got, $expected, {} ) ? 1 : 0;
    if ( !$same && defined &GloveboxWire::show ) {
        my ( undef, undef, $line ) = caller;
        %Glovebox::last_difference = ( got => GloveboxWire::show($got), expected => GloveboxWire::show($expected), line => $line );
    }
    return $same;
}

sub cmp_deeply {
    my ( $got, $expected, $name ) = @_;
    require Test::Builder;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $same = same( $got, $expected, {} );
    my $builder = Test::Builder->new;
    $builder->ok( $same, $name );
    $builder->diag('the data differ') if !$same;
    return $same ? 1 : 0;
}

sub cmp_bag { my ( $got, $expected, $name ) = @_; @_ = ( $got, bag(@$expected), $name ); goto &cmp_deeply }
sub cmp_set { my ( $got, $expected, $name ) = @_; @_ = ( $got, set(@$expected), $name ); goto &cmp_deeply }
sub cmp_methods { my ( $got, $expected, $name ) = @_; @_ = ( $got, methods(@$expected), $name ); goto &cmp_deeply }

# same compares as Test::Deep does: scalars as strings, references by kind,
# class and content.
sub same {
    my ( $got, $expected, $seen ) = @_;
    return $expected->{compare}->( $got, $seen ) if defined blessed $expected && $expected->isa('Test::Deep::Special');
    return !defined $got && !defined $expected if !defined $got || !defined $expected;
    return ( ref $got || ref $expected ) ? 0 : $got eq $expected if !ref $got || !ref $expected;
    return 1 if refaddr $got == refaddr $expected;
    return 0 if ( blessed $got // '' ) ne ( blessed $expected // '' );
    my $type = reftype $expected;
    return 0 if reftype $got ne $type;
    return 1 if $seen->{ refaddr $got }{ refaddr $expected }++;
    if ( $type eq 'ARRAY' ) {
        return 0 if @$got != @$expected;
        same( $got->[$_], $expected->[$_], $seen ) || return 0 for 0 .. $#$expected;
        return 1;
    }
    if ( $type eq 'HASH' ) {
        return 0 if keys %$got != keys %$expected;
        exists $got->{$_} && same( $got->{$_}, $expected->{$_}, $seen ) || return 0 for keys %$expected;
        return 1;
    }
    return same( $$got, $$expected, $seen ) if $type eq 'SCALAR' || $type eq 'REF';
    return "$got" eq "$expected" if $type eq 'REGEXP';
    return 0;
}

sub ignore { special( sub {1}, 'anything' ) }
sub any  { my @e = @_; special( sub { my ( $g, $s ) = @_; scalar grep { same( $g, $_, {%$s} ) } @e } ) }
sub all  { my @e = @_; special( sub { my ( $g, $s ) = @_; !grep { !same( $g, $_, {%$s} ) } @e } ) }
sub none { my @e = @_; special( sub { my ( $g, $s ) = @_; !grep { same( $g, $_, {%$s} ) } @e } ) }
sub num { my ( $e, $tolerance ) = @_; special( sub { looks_like_number( $_[0] ) && abs( $_[0] - $e ) <= ( $tolerance || 0 ) } ) }
sub str { my ($e) = @_; special( sub { defined $_[0] && "$_[0]" eq "$e" } ) }
sub bool { my ($e) = @_; special( sub { !$_[0] == !$e } ) }
sub code { my ($c) = @_; special( sub { ( $c->( $_[0] ) )[0] } ) }
sub isa { return UNIVERSAL::isa(@_) if @_ > 1; my ($class) = @_; special( sub { UNIVERSAL::isa( $_[0], $class ) } ) }
sub re { my ($re) = @_; special( sub { defined $_[0] && $_[0] =~ $re } ) }
sub shallow { my ($e) = @_; special( sub { defined $_[0] && defined $e ? $_[0] eq $e : !defined $_[0] && !defined $e } ) }
sub scalref { my ($e) = @_; special( sub { ref $_[0] eq 'SCALAR' && same( ${ $_[0] }, $e, $_[1] ) } ) }
sub noclass  { my ($e) = @_; special( sub { same( plain( $_[0] ), plain($e), $_[1] ) } ) }
sub useclass { $_[0] }

sub plain {
    my ($v) = @_;
    my $type = reftype $v // return $v;
    return $type eq 'ARRAY' ? [ map { plain($_) } @$v ] : $type eq 'HASH' ? { map { $_ => plain( $v->{$_} ) } keys %$v } : $v;
}

sub methods {
    my @wanted = @_;
    special(
        sub {
            my ( $got, $seen ) = @_;
            return 0 if !defined blessed $got;
            for ( my $i = 0; $i < @wanted; $i += 2 ) {
                my ( $name, @args ) = ref $wanted[$i] ? @{ $wanted[$i] } : $wanted[$i];
                return 0 if !same( scalar $got->$name(@args), $wanted[ $i + 1 ], $seen );
            }
            return 1;
        }
    );
}

sub array_each { my ($e) = @_; special( sub { my ( $g, $s ) = @_; ref $g eq 'ARRAY' && !grep { !same( $_, $e, {%$s} ) } @$g } ) }
sub hash_each { my ($e) = @_; special( sub { my ( $g, $s ) = @_; ref $g eq 'HASH' && !grep { !same( $_, $e, {%$s} ) } values %$g } ) }

sub superhashof {
    my ($e) = @_;
    special( sub { my ( $g, $s ) = @_; ref $g eq 'HASH' && !grep { !exists $g->{$_} || !same( $g->{$_}, $e->{$_}, {%$s} ) } keys %$e } );
}

sub subhashof {
    my ($e) = @_;
    special( sub { my ( $g, $s ) = @_; ref $g eq 'HASH' && !grep { !exists $e->{$_} || !same( $g->{$_}, $e->{$_}, {%$s} ) } keys %$g } );
}

# matched tells which of the expected have an own partner among the got.
sub matched {
    my ( $got, $expected, $seen ) = @_;
    my @left = @$got;
    my $missing = 0;
EXPECTED: for my $e (@$expected) {
        for my $i ( 0 .. $#left ) {
            next if !same( $left[$i], $e, {%$seen} );
            splice @left, $i, 1;
            next EXPECTED;
        }
        $missing++;
    }
    return ( $missing, scalar @left );
}

sub bag        { my @e = @_; special( sub { my ( $g, $s ) = @_; return 0 if ref $g ne 'ARRAY'; my ( $m, $l ) = matched( $g, \@e, $s ); !$m && !$l } ) }
sub superbagof { my @e = @_; special( sub { my ( $g, $s ) = @_; return 0 if ref $g ne 'ARRAY'; my ($m) = matched( $g, \@e, $s ); !$m } ) }
sub subbagof   { my @e = @_; special( sub { my ( $g, $s ) = @_; return 0 if ref $g ne 'ARRAY'; my ( undef, $l ) = matched( $g, \@e, $s ); !$l } ) }

sub set {
    my @e = @_;
    special(
        sub {
            my ( $g, $s ) = @_;
            return 0 if ref $g ne 'ARRAY';
            for my $x (@e) { return 0 if !grep { same( $_, $x, {%$s} ) } @$g }
            for my $x (@$g) { return 0 if !grep { same( $x, $_, {%$s} ) } @e }
            return 1;
        }
    );
}

1;
