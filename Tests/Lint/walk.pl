#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Compares the walk of C_Sign in docs/Architecture.md with the sources: each function is declared in its file and called
# by one before it, and the sentence above the table has their numbers. More functions, files or targets than the limits
# below are an error. Takes no arguments, and checks the tree with the working directory as its root.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Tree;

my %limits = (functions => 20, files => 14, targets => 7);
my $page = 'docs/Architecture.md';

# The bodies of all functions of this name in a file, without comments and the texts of literals.
sub bodies {
    my ($file, $name) = @_;
    my $text = content($file);
    $text =~ s{//[^\n]*}{}g;
    $text =~ s/"(?:[^"\\\n]|\\.)*"/""/g;
    my $found = '';
    while ($text =~ /^( *)(?:[\w@()]+ )*func \Q$name\E\b[^\n]*\n(.*?)^\1\}/msg) { $found .= $2 }
    return $found;
}

my $text = content($page);
my ($table) = $text =~ /^\| function of the walk \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/m
    or die "$page: there is no table of the walk\n";
my (@rows, %files, %targets);
for (split /\n/, $table) {
    my ($function, $file) = /^\| `([^`]+)`[^|]*\| `([^`]+)` \|/ or die "$page: a row has another form: $_\n";
    my ($name) = $function =~ /(\w+)(?:\(.*)?$/;
    push @rows, [$function, $name, $file];
    $files{$file} = 1;
    $targets{$1} = 1 if $file =~ m{^(\w+)/};
}

my $before = '';
for my $row (@rows) {
    my ($function, $name, $file) = @$row;
    unless (-f "Sources/$file") {
        report($page, "Sources/$file, which does not exist");
        next;
    }
    my $body = bodies("Sources/$file", $name);
    report($page, "$function, which $file does not declare") if $body eq '';
    report($page, "$function, which no function before it calls") if $before ne '' && $before !~ /(?<![\w`])$name(?:\(| \{)/;
    $before .= $body;
}
report($page, 'SCardTransmit, which no function of the walk calls') unless $before =~ /\bSCardTransmit\(/;

my %counts = (functions => scalar @rows, files => scalar keys %files, targets => scalar keys %targets);
for (sort keys %limits) {
    report($page, "the walk has $counts{$_} $_, and at most $limits{$_} are wanted") if $counts{$_} > $limits{$_};
}
my $sentence = "$counts{functions} named functions of $counts{files} files in $counts{targets} targets";
(my $flowing = $text) =~ s/\s+/ /g;
report($page, "the sentence above the table, which does not say \"$sentence\"") unless $flowing =~ /\Q$sentence\E/;
exit status();
