package GloveboxWire;

# Carries calls between a program and its tests, which run in two processes
# that do not trust each other: lines of JSON over two pipes. Plain data
# travels as data; a blessed thing or a sub is a handle, whose methods run where
# it is. Either side may call the other while it waits for an answer.
use strict;
use warnings;
use B ();
use JSON::PP ();
use Scalar::Util qw(blessed reftype refaddr);

use constant { DEPTH => 100, LINE => 16 << 20, CALLS => 200, TEXT => 2048 };

my $json = JSON::PP->new->ascii->allow_nonref->canonical->max_depth( 4 * DEPTH );

# new makes an end of the link. wrap and unwrap deal with handles; serve answers
# a call.
sub new {
    my ( $class, %self ) = @_;
    open my $in,  '<&=', 3 or die "no link: $!";
    open my $out, '>&=', 4 or die "no link: $!";
    binmode $_ for $in, $out;
    return bless { %self, in => $in, out => $out, depth => 0 }, $class;
}

sub encode {
    my ( $self, $v, $depth ) = @_;
    $depth //= 0;
    die "the value is too deep\n" if $depth > DEPTH;
    return undef if !defined $v;
    if ( !ref $v ) {
        my $flags = B::svref_2object( \$v )->FLAGS;
        return "$v" if $flags & B::SVf_POK;
        return { i => "$v" } if $flags & B::SVf_IOK;
        return { n => sprintf '%.17g', $v } if $flags & B::SVf_NOK;
        return "$v";
    }
    my $type = reftype $v;
    if ( !defined blessed $v ) {
        return { a => [ map { $self->encode( $_, $depth + 1 ) } @$v ] } if $type eq 'ARRAY';
        return { h => { map { $_ => $self->encode( $v->{$_}, $depth + 1 ) } keys %$v } } if $type eq 'HASH';
        return { r => $self->encode( $$v, $depth + 1 ) } if $type eq 'SCALAR' || $type eq 'REF';
    }
    return $self->{wrap}->($v);
}

sub decode {
    my ( $self, $j ) = @_;
    return $j if !ref $j;
    die "a value of no known form\n" if ref $j ne 'HASH' || keys %$j == 0;
    return 0 + number( $j->{i} ) if exists $j->{i};
    return 0 + number( $j->{n} ) if exists $j->{n};
    return [ map { $self->decode($_) } @{ array( $j->{a} ) } ] if exists $j->{a};
    if ( exists $j->{h} ) {
        die "a value of no known form\n" if ref $j->{h} ne 'HASH';
        return { map { $_ => $self->decode( $j->{h}{$_} ) } keys %{ $j->{h} } };
    }
    if ( exists $j->{r} ) { my $v = $self->decode( $j->{r} ); return \$v }
    return $self->{unwrap}->($j);
}

sub array { ref $_[0] eq 'ARRAY' ? $_[0] : die "a value of no known form\n" }

sub number {
    my ($text) = @_;
    die "a number is wrong\n" if ref $text || $text !~ /\A-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)\z/i;
    return $text;
}

# call asks the other side and returns its answer.
sub call {
    my ( $self, $request ) = @_;
    $self->send( { call => $request } );
    while (1) {
        my $m = $self->receive // die "the other process ended\n";
        return $m if !exists $m->{call};
        $self->answer( $m->{call} );
    }
}

# listen answers until the other side hangs up.
sub listen {
    my ($self) = @_;
    while ( my $m = $self->receive ) {
        die "an answer to no question\n" if !exists $m->{call};
        $self->answer( $m->{call} );
    }
}

sub answer {
    my ( $self, $request ) = @_;
    die "calls are too deep\n" if ++$self->{depth} > CALLS;
    $self->send( $self->{serve}->($request) );
    $self->{depth}--;
}

sub send {
    my ( $self, $message ) = @_;
    my $line = $json->encode($message) . "\n";
    die "a message is too large\n" if length $line > LINE;
    for ( my $at = 0; $at < length $line; ) {
        $at += syswrite( $self->{out}, $line, length($line) - $at, $at ) // die "the other process ended\n";
    }
}

sub receive {
    my ($self) = @_;
    until ( $self->{buffer} && $self->{buffer} =~ /\n/ ) {
        my $n = sysread $self->{in}, my $more, 1 << 16;
        return if !$n;
        $self->{buffer} .= $more;
        die "a message is too large\n" if length $self->{buffer} > LINE + ( 1 << 16 );
    }
    $self->{buffer} =~ s/\A([^\n]*)\n//;
    my $m = eval { $json->decode($1) };
    die "a message of no known form\n" if ref $m ne 'HASH';
    return $m;
}

# bounded cuts a text for the report.
sub bounded {
    my ($text) = @_;
    $text = defined $text ? "$text" : 'undef';
    return length $text > TEXT ? substr( $text, 0, TEXT ) . ' ...' : $text;
}

# show writes data for people.
sub show {
    my ( $v, $depth ) = @_;
    $depth //= 0;
    return 'undef' if !defined $v;
    return '...' if $depth > 20;
    my $type = reftype $v;
    if ( !defined $type ) {
        return B::svref_2object( \$v )->FLAGS & B::SVf_POK ? B::perlstring($v) : "$v";
    }
    my $text =
          $type eq 'ARRAY' ? '[' . join( ', ', map { show( $_, $depth + 1 ) } @$v ) . ']'
        : $type eq 'HASH'  ? '{' . join( ', ', map { "$_ => " . show( $v->{$_}, $depth + 1 ) } sort keys %$v ) . '}'
        : $type eq 'SCALAR' || $type eq 'REF' ? '\\' . show( $$v, $depth + 1 )
        :                                       $type;
    return defined blessed $v ? blessed($v) . $text : $text;
}

1;
