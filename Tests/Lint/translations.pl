#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Compares the catalogues of Translations with the phrases in the sources: each has one translation, which has the same
# arguments, and no translation is unused. A literal of the command kanal that only reads like a phrase is reported.
# Takes no arguments; "translations.pl --template" prints all phrases as a catalogue.
#
# A phrase is a literal, or some behind "? :", "??" or in a collection, that is
# - an argument of a function that is listed below, without a label or with one of those that are named there;
# - the result of a function or property whose type has Phrase in it, unless it is another call's argument;
# - the value of a variable whose declaration has the type Phrase.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

# Functions that take phrases, and which arguments those are: a label, a number, or "" for all without a label.
my %functions = (
    translated => [''], saying => ['', 'valueName'], CommandError => ['2'], require => [''], say => [''],
    ProgressLine => [''], update => [''], Table => [''], SecretQuestion => ['prompt'], 'console.line' => [''],
    '.error' => ['2', 'remedy'], '.warning' => ['2', 'remedy'], Finding => ['problem', 'remedy'], hung => ['2', 'remedy'],
    LoopbackPage => ['2'], PINRequest => ['purpose'], text => ['for'], lines => ['asking'], Question => ['title', 'button'],
    '.failed' => [''], '.notInstalled' => [''], MalformedAssuan => ['reason'], Ignored => ['reason'],
    report => [''], remark => [''], note => ['1'], check => ['3'], CKError => ['2'], Reason => ['2'], Explanation => [''],
    '.invalidArgument' => [''], '.malformed' => [''], '.unreachable' => [''], '.system' => [''], '.notConfigured' => [''],
    '.refused' => ['2', 'reason'],
    'facts.add' => [''], Phrase => [''], 'self.init' => ['2', 'remedy'],
);
# Functions whose texts are for programs, or parts of texts of logs.
my $others = qr/asRoot|asOwner|install|command|suggest|self\.init|init|Process|hasPrefix|contains/;
# Literals that only read like phrases: a command line, a rule, and names that are translated where they are printed.
my $exempt = qr/^(?:systemctl start pcscd\.socket| return polkit\.|standard input$)/;
my @roots = map { "Sources/$_" } qw(
    KanalCommand Terminal Asking Configuration Cryptoki/Asking Cryptoki/Errors KanalKit KanalESIA Sharing Tokens
    Storage Translation);
my $wrong = 0;

sub report {
    print STDERR "$_[0]\n";
    $wrong++;
}

sub content {
    open my $handle, '<', $_[0] or die "$_[0]: $!\n";
    local $/;
    return scalar <$handle>;
}

# The phrases of a file: pairs of key and line. This parses Swift only as far as necessary.
sub phrases {
    my ($text) = @_;
    my (@found, @frames);
    my $line = 1;
    # The text before the present place in its statement, without literals.
    my $before = '';
    my $literal = sub {
        my ($key) = @_;
        # Not for comparisons and keys.
        return if $before =~ /(?:[=!]=|\bcase)\s*$/ || @frames && $frames[-1]{bracket} eq '[' && $text =~ /\G(?=:)/gc;
        if (is_phrase(\@frames, $before)) {
            push @found, [$key, $line];
        } elsif ($key =~ /[a-z]{2} [a-z]{2}/ && !grep { $_->{callee} =~ /\b(?:$others)$/ } @frames) {
            push @found, [$key, $line, 'prose'];
        }
    };
    pos($text) = 0;
    while (pos($text) < length $text) {
        if ($text =~ /\G\n/gc) {
            $line++;
            # A statement goes on where the next line begins with an operator, or this one ends with one.
            $before .= "\n";
            if ($before !~ /(?:[=?:+&|,(\[]|\?\?|->|\breturn|\bin)\s*$/ && $text !~ /\G\s*(?:[?:.+&|)\]]|\?\?)/) {
                $before = $before =~ /:\s*\[?[^=\n]*\bPhrase\b[^=]*=/ && $text =~ /\G\s*(?:if|switch|case|default|\}|")/ ? $before : '';
            }
        } elsif ($text =~ m{\G//[^\n]*}gc) {
        } elsif ($text =~ /\G"""\n/gc) {
            my ($key, $lines) = long_literal(\$text, \@found, \@frames);
            $literal->($key);
            $line += $lines;
            $before .= '""';
        } elsif ($text =~ /\G"/gc) {
            my $key = short_literal(\$text, \@found, \@frames, $line);
            $literal->($key);
            $before .= '""';
        } elsif ($text =~ /\G([(\[{])/gc) {
            my $bracket = $1;
            my $callee = $before =~ /([\w.]+)[?!]?$/ ? $1 : '';
            push @frames, { bracket => $bracket, callee => $callee, outer => $before, label => '', number => 1, start => pos $text };
            $before = '';
        } elsif ($text =~ /\G[)\]}]/gc) {
            my $frame = pop @frames or die "more brackets are closed than opened\n";
            my $inner = substr $text, $frame->{start}, pos($text) - $frame->{start} - 1;
            $inner = '' if $frame->{bracket} eq '{' || length $inner > 120 || $inner =~ /"/;
            $before = $frame->{outer} . $frame->{bracket} . $inner . { '{' => '}', '(' => ')', '[' => ']' }->{ $frame->{bracket} };
        } elsif ($text =~ /\G,/gc) {
            if (@frames && $frames[-1]{bracket} ne '{') {
                $frames[-1]{number}++;
                $frames[-1]{label} = '';
                $before = '';
            } else {
                $before .= ',';
            }
        } elsif ($text =~ /\G(\w+):(?!:)/gc) {
            my $word = $1;
            if (@frames && $frames[-1]{bracket} eq '(' && $before =~ /^\s*$/) {
                $frames[-1]{label} = $word;
                $before = '';
            } else {
                $before .= "$word:";
            }
        } else {
            $text =~ /\G(\w+|.)/gcs;
            $before .= $1;
        }
    }
    return @found;
}

# Whether a literal within these brackets, behind this text, is a phrase.
sub is_phrase {
    my ($frames, $before) = @_;
    my $statement = $before;
    for my $frame (reverse @$frames) {
        return 1 if $statement =~ /\b(?:let|var)\s+[^=]*:[^=]*\bPhrase\b[^=]*=/;
        return 0 if $statement =~ /\b(?:let|var)\s+\w+(?:\s*:\s*String\b[^=]*)?\s*=/;
        if ($frame->{bracket} eq '(' && $frame->{callee} =~ /\w/ && $frame->{callee} !~ /^(?:if|guard|switch|return|in|case|let|try)$/) {
            my ($last) = $frame->{callee} =~ /(\.?\w+)$/;
            my ($name) = $last =~ /(\w+)/;
            my $labels = $functions{ $frame->{callee} } // $functions{$last} // $functions{$name};
            return 0 unless $labels;
            return scalar grep { $frame->{label} ne '' ? $_ eq $frame->{label} : $_ eq '' || $_ eq $frame->{number} } @$labels;
        }
        return 0 if $frame->{bracket} eq '(' && $frame->{outer} =~ /\bcase\s*$/;
        return 0 if $frame->{bracket} eq '[' && $frame->{callee} =~ /\w/ && $frame->{callee} !~ /^(?:return|in)$/;
        if ($frame->{bracket} eq '{' && $frame->{outer} =~ /\b(?:func|var|init|struct|enum|extension|class|get)\b/) {
            return $frame->{outer} =~ /(?:->|:)\s*\[?\(?[\w, ]*\bPhrase\b[^{]*$/ ? 1 : 0;
        }
        $statement = $frame->{outer};
    }
    return 0;
}

# The key of a literal whose quotation mark was read.
sub short_literal {
    my ($text, $found, $frames, $line) = @_;
    my ($key, $number) = ('', 0);
    until ($$text =~ /\G"/gc) {
        if ($$text =~ /\G\\\(/gc) {
            interpolation($text, $found, $frames, $line);
            $key .= '{' . $number++ . '}';
        } elsif ($$text =~ /\G\\(.)/gc) {
            my $character = $1;
            $key .= { n => "\n", t => "\t", 0 => "\0" }->{$character} // ($character eq 'u' && $$text =~ /\G\{(\w+)\}/gc ? chr hex $1 : $character);
        } else {
            $$text =~ /\G([^"\\\n]+)/gc or die "line $line: a literal without an end\n";
            $key .= $1;
        }
    }
    return $key;
}

# The key of a literal of several lines, and how many they are.
sub long_literal {
    my ($text, $found, $frames) = @_;
    $$text =~ /\G(.*?)\n( *)"""/gcs or die "a literal of several lines without an end\n";
    my ($body, $indent) = ($1, $2);
    my $lines = 2 + ($body =~ tr/\n//);
    $body =~ s/^$indent//mg;
    $body =~ s/\\\n//g;
    my $inner = $body;
    $inner =~ s/(?<!\\)"/\\"/g;
    $inner =~ s/\n/\\n/g;
    $inner .= '"';
    pos($inner) = 0;
    return (short_literal(\$inner, $found, $frames, 0), $lines);
}

# Interpolated expressions: literals in them are phrases only as arguments of functions that take them.
sub interpolation {
    my ($text, $found, $frames, $line) = @_;
    my $depth = 1;
    my $start = pos $$text;
    while ($depth > 0) {
        if ($$text =~ /\G"/gc) {
            short_literal($text, [], [], $line);
        } elsif ($$text =~ /\G\(/gc) {
            $depth++;
        } elsif ($$text =~ /\G\)/gc) {
            $depth--;
        } else {
            $$text =~ /\G[^"()]+/gc or die "line $line: an insertion without an end\n";
        }
    }
    my $inner = substr $$text, $start, pos($$text) - $start - 1;
    my $place = pos $$text;
    push @$found, map { [$_->[0], $line, $_->[2]] } phrases($inner) if $inner =~ /"/;
    pos($$text) = $place;
}

# A catalogue: entries of key, translation and flags.
sub catalogue {
    my ($file) = @_;
    my (@entries, $field);
    for (split /\n/, content($file)) {
        if (/^#,\s*(.*)/) {
            push @entries, { flags => $1 };
        } elsif (/^(msgid|msgstr) "(.*)"$/) {
            push @entries, {} if $1 ne 'msgstr' && (!@entries || exists $entries[-1]{msgid});
            $field = $1;
            $entries[-1]{$field} = $2;
        } elsif (/^"(.*)"$/) {
            $entries[-1]{$field} .= $1;
        }
    }
    for my $entry (@entries) {
        s/\\(.)/$1 eq 'n' ? "\n" : $1/ge for $entry->{msgid}, $entry->{msgstr};
    }
    return @entries;
}

sub escaped {
    my ($text) = @_;
    $text =~ s/(["\\])/\\$1/g;
    $text =~ s/\n/\\n/g;
    return $text;
}

sub arguments { join ' ', sort keys %{ { map { $_ => 1 } $_[0] =~ /(\{\d+\})/g } } }

my (%places, @order);
# Reasons for logs, some of which people read, too.
my %reasons = map { $_->[0] => 1 } map { phrases(content($_)) } split /\0/, `find Sources/Cryptoki -name '*.swift' -print0`;
for my $file (sort split /\0/, `find @roots -name '*.swift' -print0`) {
    my @found = eval { phrases(content($file)) };
    report("$file: $@") if $@;
    report("$file: \"$1\" keeps the language of the first command that asks for it: compute it")
        if $file =~ m{^Sources/KanalCommand/} && content($file) =~ /(static let \w+[^=\n]*=\s*(?:CommandConfiguration|translated))\(/;
    for (@found) {
        my ($key, $line, $prose) = @$_;
        if ($prose) {
            report("$file:$line: \"$key\" is no phrase, and reads as one") if $file =~ m{^Sources/(?:KanalCommand|Terminal)/} && $key !~ $exempt;
            next;
        }
        next if $key !~ /[A-Za-z]/ || $key =~ /^(?:\{\d+\}|[^A-Za-z])*$/;
        push @order, $key unless $places{$key};
        $places{$key} //= "$file:$line";
    }
}
# Whole texts of others.
for (grep { !/^#/ } split /\n/, content('Translations/system.txt')) {
    push @order, $_ unless $places{$_};
    $places{$_} //= 'Translations/system.txt';
}

if (@ARGV && $ARGV[0] eq '--template') {
    for (@order) {
        print "#: $places{$_}\n", 'msgid "', escaped($_), "\"\nmsgstr \"\"\n\n";
    }
    exit;
}

for my $file (glob 'Translations/*.po') {
    my %said;
    for my $entry (catalogue($file)) {
        my ($key, $text) = @$entry{qw(msgid msgstr)};
        next if $key eq '';
        my $shown = escaped($key);
        report("$file: \"$shown\" stands twice") if $said{$key}++;
        report("$file: no source has \"$shown\"") unless $places{$key} || $reasons{$key};
        report("$file: the translation of \"$shown\" is not certain (fuzzy)") if ($entry->{flags} // '') =~ /fuzzy/;
        if ($text eq '') {
            report("$file: \"$shown\" is not translated");
        } elsif (arguments($key) ne arguments($text)) {
            report("$file: \"$shown\" has other arguments than its translation");
        } elsif (($key =~ /^( *)/)[0] ne ($text =~ /^( *)/)[0] || ($key =~ /( *)$/)[0] ne ($text =~ /( *)$/)[0]) {
            report("$file: \"$shown\" has other spaces at its ends than its translation");
        }
    }
    report("$file: $places{$_}: \"" . escaped($_) . '" is not there') for grep { !$said{$_} } @order;
}
exit($wrong ? 1 : 0);
