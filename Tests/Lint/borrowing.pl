#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Finds an expression in Sources that Swift 6.3.1 compiles wrongly: a property that borrows, such as "span", read in one
# expression with the throwing call whose result it borrows from,
#
#     try PublicKeyInfo(der: Certificate(der: bytes).subjectPublicKeyInfo.span)
#
# The result lives in a temporary for as long as the span does. The compiler ends that life on the path of the call's
# error as well, before the value exists: the memory's content is released as if it were an array. Without a stored
# property in between the compiler stops ("Instruction does not dominate all uses", or an assertion); with one it says
# nothing, in debug builds and in release. The result of a computed property, a subscript or another call is not
# affected, nor is an error that is thrown before or after: w(try f()).x.span is sound.
#
# The rule: a throwing call or getter before ".span" or a similar property has a "let" of its own. "bytes" counts for
# every type, because Secret's borrows.
use strict;
use warnings;

my $group = qr/(?<group>\((?:[^()]++|(?&group))*\))/;
my $block = qr/(?<block>\{(?:[^{}]++|(?&block))*\})/;
my $generics = qr/(?:<[^<>()]*>)?/;

# The labels of arguments or parameters, "_" for one without.
sub labels {
    my $list = substr shift, 1, -1;
    $list =~ s/$group|$block|\[[^\[\]]*\]|<[^<>]*>//g;
    return map { /^\s*(\w+)[^:]*:/ ? $1 : '_' } split /,/, $list;
}

# Throwing declarations by name: functions and types with initialisers with the labels of their parameters, and
# properties, with a dot before their names.
sub throwing {
    my %names;
    for (@_) {
        while (/\bfunc\s+(?<name>\w+)\s*$generics\s*(?<list>$group)\s*(?:async\s+)?throws\b/g) {
            my ($name, @labels) = ($+{name}, labels($+{list}));
            $names{$name}{$_} = 1 for '', @labels;
        }
        $names{".$+{name}"}{''} = 1 while /\bvar\s+(?<name>\w+)\s*:[^={}]*\{\s*get\s+throws\b/g;
        my $type = '';
        while (/^\s*(?:[\w@()]+\s+)*(?:struct|class|enum|extension|actor)\s+(?:\w+\.)*(?<type>\w+)
                |\binit[?]?\s*$generics\s*(?<list>$group)\s*throws\b/gmx) {
            if (defined $+{type}) {
                $type = $+{type};
            } else {
                $names{$type}{$_} = 1 for '', labels($+{list});
            }
        }
    }
    return \%names;
}

# Whether "try" covers the code behind this text.
sub is_tried {
    my @lines = split /\n/, shift, -1;
    my $statement = pop @lines;
    while (@lines && ($lines[-1] =~ /[(\[,=:?&|+]\s*$/ || $statement =~ /^\s*[.:?&|+)\]]/)) {
        $statement = pop(@lines) . "\n$statement";
    }
    return $statement =~ /\btry\b/;
}

# The expressions of a text that break the rule, each with its line's number.
sub violations {
    my ($text, $throwing) = @_;
    my @found;
    my $call = qr/(?<name>\b\w+)\s*$generics(?:\s*(?<list>$group)(?:\s*$block)?|\s*$block)/;
    my $property = qr/(?<name>\.\w+\b)(?!\s*[<({])/;
    my $borrowed = qr/(?:span|bytes|mutableSpan|mutableBytes|utf8Span)\b(?!\s*\()/;
    while ($text =~ /(?:$call|$property)(?:\s*\.\s*\w+(?![\w(]))*?\s*\.\s*$borrowed/g) {
        my ($name, $list, $start, $end) = ($+{name}, $+{list} // '()', $-[0], $+[0]);
        my ($label) = (labels($list), '');
        if ($throwing->{$name}{$label} && is_tried(substr $text, 0, $start)) {
            push @found, [1 + (substr($text, 0, $start) =~ tr/\n//), substr($text, $start, $end - $start)];
        }
        # There may be others inside the parentheses.
        pos($text) = $start + length $name;
    }
    return @found;
}

# Comments and strings say nothing, and keep their lines.
sub code {
    my $text = shift;
    $text =~ s{//[^\n]*|"(?:[^"\\\n]|\\.)*"}{ $& =~ m{^/} ? '' : '""' }ge;
    return $text;
}

my $known = throwing(<<'END');
struct Sound { init(_ octets: Span<UInt8>) {} }
extension Outer.Inner { init(der octets: Span<UInt8>) throws(Failure) {} }
func made<T>(_ size: Int, by body: (Int) -> T) throws -> T {}
var parsed: Inner { get throws(Failure) { } }
func other() -> Inner {}
END
my @samples = (
    [1, 'try Key(der: Inner(der: octets.span).content.octets.span)'],
    [1, "try Key(Inner(der: octets.span)\n    .content\n    .span)"],
    [1, 'let first = try made(3) .secret.bytes[0]'],
    [1, 'try use(made(f(3)).span)'],
    [1, 'try use(octets.parsed.content.span)'],
    [0, 'let inner = try Inner(der: octets.span)'],
    [0, 'try use(Sound(try made(2)).octets.span)'],
    [0, 'try use(Inner(der: octets.span).copy().span)'],
    [1, "let x = try use(\n    octets,\n    made(2).span)"],
    [0, 'use(made(2).span)'],
    [0, 'try made(other().span)'],
    [0, 'try use(other().content.span, made(1))'],
    [0, 'let octets = try made(8).bytes(4)'],
    [0, 'try use(made(labelled: 8).span)'],
    [1, 'try use(made(8) { $0 }.span)'],
);
for (@samples) {
    my ($count, $text) = @$_;
    die "borrowing.pl: its own sample is judged wrongly: $text\n" if $count != violations($text, $known);
}

my %text;
for my $file (split /\n/, `find Sources -name '*.swift'`) {
    open my $handle, '<', $file or die "$file: $!\n";
    local $/;
    $text{$file} = code(scalar <$handle>);
}
my $throwing = throwing(values %text);
my $count = 0;
for my $file (sort keys %text) {
    for (violations($text{$file}, $throwing)) {
        my ($line, $expression) = @$_;
        print STDERR "$file:$line: error: the result of a throwing call is borrowed in one expression: $expression\n";
        $count++;
    }
}
exit($count ? 1 : 0);
