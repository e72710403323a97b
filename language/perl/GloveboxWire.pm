package GloveboxWire;

# Carries calls between a program and its tests, which run in two processes that
# do not trust each other. A frame is a length of eight hexadecimal digits and
# one value of JSON. Plain data travels whole; what is not plain is a handle,
# which wrap and unwrap of either side deal with. No module is loaded here: a
# program must not find more in its process than perl alone has.
BEGIN { $^H |= 0x1000602; ${^WARNING_BITS} = "\0" x 32 }    # strict, no overloading, no warnings

sub DEPTH () { 500 }
sub FRAME () { 64 << 20 }
sub CALLS () { 200 }
sub TEXT ()  { 2048 }

# new makes an end of the link. wrap and unwrap deal with handles, look gives what
# a text that came is here, serve answers a request.
sub new {
    my ( $class, %self ) = @_;
    open my $in,  '<&=', 3 or die "no link: $!";
    open my $out, '>&=', 4 or die "no link: $!";
    binmode $_ for $in, $out;
    return bless { %self, in => $in, out => $out, depth => 0 }, $class;
}

my %escape = ( '"' => '\\"', '\\' => '\\\\', map { chr($_) => sprintf '\\u%04x', $_ } 0 .. 31 );

# text is a text in JSON.
sub text {
    my $t = "$_[0]";
    utf8::encode($t);
    $t =~ s/(["\\\x00-\x1f])/$escape{$1}/g;
    return qq("$t");
}

# $simple matches a text that is its own JSON, and no filehandle's name.
my $simple = qr/\A[ !#-)+-\[\]-~][ !#-\[\]-~]*\z/;

# plain is a scalar in JSON. A text that was computed with stays a text; a value
# that is one text and another number is carried as both.
sub plain {
    my ($v) = @_;
    my $text = "$v";    # before anything computes with it
    return text($text) if utf8::is_utf8($v) || !length( $v & '' );
    my $same = 0 + $text == $v || $text =~ /\ANaN\z/i;
    return $text if $same && $text =~ /\A-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?\z/;
    return qq({"n":"$text"}) if $text =~ /\A-?(?:Inf|NaN)\z/i;
    return text($text) if $same;
    my $exact = sprintf '%.17g', $v;
    return $exact if number($exact) eq $text;
    return '{"d":[' . text($text) . ",$exact]}";
}

# number is the number of a text: a whole one, or one with a point, whose text is
# another where it is large.
sub number { my ($t) = @_; return $t =~ /[.e]/ ? unpack 'd', pack 'd', $t : 0 + $t }

# encode writes a value in JSON. What is large is mostly lists of whole numbers, and
# texts of plain letters: they take a short way.
sub encode {
    my ( $self, $v, $depth ) = @_;
    return 'null' if !defined $v;
    my $kind = ref $v;
    return ref \$v eq 'GLOB' ? $self->{wrap}->( \$v ) : plain($v) if $kind eq '';
    die "the value is too deep, or holds itself\n" if ++$depth > DEPTH;
    return '[' . list( $self, $v, $depth ) . ']' if $kind eq 'ARRAY';
    return '{"h":{' . join( ',', map { ( /$simple/ ? qq("$_") : text($_) ) . ':' . encode( $self, $v->{$_}, $depth ) } keys %$v ) . '}}' if $kind eq 'HASH';
    return '{"r":' . encode( $self, $$v, $depth ) . '}' if $kind eq 'SCALAR' || $kind eq 'REF' || $kind eq 'LVALUE' || $kind eq 'VSTRING';
    if ( re::is_regexp($v) ) {
        my ( $pattern, $flags ) = re::regexp_pattern($v);
        return '{"x":[' . text($pattern) . ',' . text($flags) . ']}';
    }
    if ( $kind eq 'Math::BigInt' || $kind eq 'Math::BigFloat' ) { return '{"b":["' . $kind . '",' . text( $v->bstr ) . ']}' }
    if ( $kind eq 'JSON::PP::Boolean' ) { return '{"b":["' . $kind . '","' . ( $$v ? 1 : 0 ) . '"]}' }
    return $self->{wrap}->($v);
}

# list writes the elements of one. Each has its text before anything computes with
# it, which may change how it prints.
sub list {
    my ( $self, $list, $depth ) = @_;
    my @v = @$list;
    my $all = join ',', @v;
    if ( $all =~ /\A[-+.e,\d]+\z/ && $all =~ tr/,// == $#v ) {
        my @text = $all =~ /(?:\A|,)(?!-?(?:0|[1-9]\d*+)(?:,|\z))/ ? split /,/, $all, -1 : ();
        if (@text) { return join ',', map { exact( $_, shift @v ) } @text }
        return $all if !grep { !length( $_ & '' ) || $_ != int } @v;
        @v = @$list;
    }
    return join ',', map { /$simple/ && !ref && !length( $_ & '' ) ? qq("$_") : encode( $self, $_, $depth ) } @v;
}

# exact writes a number that prints as a text, in as many digits as it takes.
sub exact {
    my ( $text, $v ) = @_;
    return defined $v ? plain($v) : 'null' if !defined $v || ref $v || !length( $v & '' );
    if ( $text == $v ) { return $text =~ /\A-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?\z/ ? $text : plain($v) }
    return plain($v) if $text ne sprintf '%.15g', $v;
    my $exact = sprintf '%.17g', $v;
    return $exact =~ /\A-?\d+\z/ ? qq({"d":["$text",$exact]}) : $exact =~ /\A-?\d/ ? $exact : plain($v);
}

# of says what a reference is: its kind and its address.
sub of { "$_[0]" =~ /([A-Z]+)\(0x([0-9a-f]+)\)\z/ }

my $in;

# decode reads a value of JSON, whole or not at all.
sub decode {
    my ( $self, $bytes ) = @_;
    $in = $bytes;
    pos($in) = 0;
    my $v = value( $self, 0 );
    die "a frame of no known form\n" if ( pos($in) // 0 ) != length $in;
    $in = '';
    return $v;
}

sub value {
    my ( $self, $depth ) = @_;
    if ( $in =~ /\G"/gc ) {
        my $t = read_text();
        return $self->{look} && !$self->{quiet} ? $self->{look}->($t) : $t;
    }
    return far( $self, $1 ) if $in =~ /\G(-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,5})?)/gc;
    die "a value is too deep\n" if ++$depth > DEPTH + 10;
    if ( $in =~ /\G\[/gc ) {
        if ( $in =~ /\G([-+.e,\d]++)\]/gc ) {
            my $list = numbers($1);
            if ( $self->{look} && !$self->{quiet} ) { $_ = far( $self, $_ ) for grep { /e/ || length > 50 } @$list }
            return $list;
        }
        my @list;
        return \@list if $in =~ /\G\]/gc;
        my $look = !$self->{quiet} && $self->{look};
        do {
            if ( $in =~ /\G"([ !#-\[\]-~]*+)"/gc ) {
                push @list, $1;
                $list[-1] = $look->( $list[-1] ) if $look;
            }
            else { push @list, value( $self, $depth ) }
        } while $in =~ /\G,/gc;
        $in =~ /\G\]/gc or die "a value of no known form\n";
        return \@list;
    }
    return undef if $in =~ /\Gnull/gc;
    $in =~ /\G\{"([a-z])":/gc or die "a value of no known form\n";
    my ( $tag, $v ) = $1;
    if ( $tag eq 'h' ) { $v = hash( $self, $depth ) }
    elsif ( $tag eq 'r' ) { my $to = value( $self, $depth ); $v = \$to }
    elsif ( $tag eq 'n' ) { $in =~ /\G"(-?Inf|-?NaN)"/gci or die "a number is wrong\n"; $v = 0 + $1; $v = $self->{look}->($v) if $self->{look} }
    else { local $self->{quiet} = $tag ne 'd'; my $of = value( $self, $depth ); $v = $self->{unwrap}->( $tag, $of ) }
    $in =~ /\G\}/gc or die "a value of no known form\n";
    return $v;
}

# far is a number; look sees one that is far from the usual.
sub far {
    my ( $self, $t ) = @_;
    my $v = number($t);
    return $self->{look} && !$self->{quiet} && ( $v =~ /e/ || length $v > 50 ) ? $self->{look}->($v) : $v;
}

# numbers reads a list that has nothing else.
sub numbers {
    my ($all) = @_;
    die "a value of no known form\n" if $all =~ /(?:\A|,)(?!-?\d{1,400}+(?:\.\d{1,400}+)?(?:e[+-]?\d{1,5}+)?(?:,|\z))/;
    return [ map { 0 + $_ } split /,/, $all ] if $all !~ /[.e]/;
    return [ map { number($_) } split /,/, $all ] if $all =~ /(?:\A|,)[-\d]++(?:,|\z)/;
    return [ unpack 'd*', pack 'd*', split /,/, $all ];
}

sub hash {
    my ( $self, $depth ) = @_;
    my %hash;
    $in =~ /\G\{/gc or die "a value of no known form\n";
    return \%hash if $in =~ /\G\}/gc;
    do {
        my $key = $in =~ /\G"([ !#-\[\]-~]*+)"/gc ? $1 : $in =~ /\G"/gc ? read_text() : die "a value of no known form\n";
        $self->{look}->($key) if $self->{look} && !$self->{quiet};
        $in =~ /\G:/gc or die "a value of no known form\n";
        $hash{$key} = value( $self, $depth );
    } while $in =~ /\G,/gc;
    $in =~ /\G\}/gc or die "a value of no known form\n";
    return \%hash;
}

sub read_text {
    my $t = '';
    while (1) {
        $t .= $1 if $in =~ /\G([^"\\]+)/gc;
        last if $in =~ /\G"/gc;
        if    ( $in =~ /\G\\(["\\])/gc )        { $t .= $1 }
        elsif ( $in =~ /\G\\u(00[0-9a-f]{2})/gc ) { $t .= chr hex $1 }
        else                                     { die "a text of no known form\n" }
    }
    utf8::decode($t);
    return $t;
}

# regexp makes a pattern of its text. Code in it is refused: this scope does not
# use re 'eval'.
sub regexp {
    my ( $pattern, $flags ) = @_;
    die "a pattern is wrong\n" if ref $pattern || !defined $flags || $flags !~ /\A[msixpnalu]*\z/;
    return eval "qr/\$pattern/$flags" // die "a pattern is wrong: $@";
}

# call sends a request, and answers the other side until its answer comes.
sub call {
    my ( $self, $request ) = @_;
    $self->send($request);
    while (1) {
        my $m = $self->receive // die "the other process ended\n";
        return $m if $m->[0] eq 'list' || $m->[0] eq 'die' || $m->[0] eq 'fail';
        $self->answer($m);
    }
}

# listen answers until the other side hangs up.
sub listen {
    my ($self) = @_;
    while ( my $m = $self->receive ) { $self->answer($m) }
}

sub answer {
    my ( $self, $request ) = @_;
    die "calls are too deep\n" if $self->{depth} >= CALLS;
    local $self->{depth} = $self->{depth} + 1;
    $self->send( $self->{serve}->(@$request) );
}

sub send {
    my ( $self, $frame ) = @_;
    die "a message is too large\n" if length $frame > FRAME;
    $frame = sprintf( '%08x', length $frame ) . $frame;
    for ( my $at = 0; $at < length $frame; ) {
        my $n = syswrite $self->{out}, $frame, length($frame) - $at, $at;
        next if !defined $n && $! == 4;    # a signal came
        $at += $n // die "the other process ended\n";
    }
}

sub receive {
    my ($self) = @_;
    my $size = $self->take(8) // return;
    $size =~ /\A[0-9a-f]{8}\z/ && ( $size = hex $size ) <= FRAME or die "a message of no known form\n";
    my $m = $self->decode( $self->take($size) // return );
    die "a message of no known form\n" if ref $m ne 'ARRAY' || !defined $m->[0] || ref $m->[0];
    return $m;
}

# take reads so many bytes; nothing where the other side ended before.
sub take {
    my ( $self, $size ) = @_;
    my $bytes = '';
    while ( length $bytes < $size ) {
        my $n = sysread $self->{in}, $bytes, $size - length $bytes, length $bytes;
        next if !defined $n && $! == 4;
        return if !$n;
    }
    return $bytes;
}

# bounded cuts a text for the report.
sub bounded {
    my ($text) = @_;
    $text = defined $text ? "$text" : 'undef';
    return length $text > TEXT ? substr( $text, 0, TEXT ) . ' ...' : $text;
}

1;
