#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Finds broken references: links and anchors of Markdown pages, "GSC/1, 13.4" and "Card, 6.4" where the page in docs has
# no such section, rules that docs/Rules.md does not have, and named files that do not exist. Takes no arguments, and
# checks the tree with the working directory as its root.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Tree;

my @files = split /\0/, `find . \\( -name .git -o -name '.build*' \\) -prune -o -type f -printf '%P\\0'`;
my @pages = grep { /\.md$/ } @files;
my %names = map { (m{([^/]+)$})[0] => 1 } @files;

# The anchors of the page's headings, behind "#" in links, and the numbers of its sections with their items.
sub anchors {
    my ($text, %anchors, %sections) = (shift);
    my ($section, $isCode) = ('', 0);
    for (split /\n/, $text) {
        $isCode = !$isCode if /^```/;
        next if $isCode;
        if (/^#+ (.*?)\s*$/) {
            my $heading = $1;
            (my $anchor = lc $heading) =~ s/[^\w\- ]//g;
            $anchor =~ tr/ /-/;
            $anchor .= '-' . $anchors{$anchor} if $anchors{$anchor}++;
            $anchors{$anchor} ||= 1;
            $section = $1 if $heading =~ /^(\d+(?:\.\d+)*)\.? /;
            $sections{$section} = 1 if $section ne '';
        }
        $sections{"$section $1"} = 1 if /^([a-z])\. /;
    }
    return (\%anchors, \%sections);
}

my (%anchors, %sections);
($anchors{$_}, $sections{$_}) = anchors(content($_)) for @pages;
my %cited = ('GSC/1' => $sections{'docs/GSC1.md'}, Card => $sections{'docs/Card.md'});
my %rules = map { $_ => 1 } content('docs/Rules.md') =~ /^\| R(\d+) \|/mg;

# Links of a page, except those in code and those that leave the tree.
for my $page (@pages) {
    my $text = content($page);
    $text =~ s/^```.*?^```$//msg;
    $text =~ s/^ {4}.*$//mg;
    $text =~ s/`[^`\n]*`//g;
    my ($folder) = $page =~ m{^(.*/)?};
    while ($text =~ /\]\(([^()\s]*)\)/g) {
        my $link = $1;
        next if $link =~ m{^https?://};
        my ($path, $anchor) = split /#/, $link, 2;
        my $target = $path eq '' ? $page : ($folder // '') . $path;
        1 while $target =~ s{(?<![^/])(?!\.\./)[^/]+/\.\./}{};
        if (!-e $target) { report($page, "a link to $link, which does not exist") }
        elsif (defined $anchor && !$anchors{$target}{$anchor}) { report($page, "a link to $link, where no such heading is") }
    }
    # Files that a page names: by their path, by the end of it, or a suite of tests by its own name.
    $text = content($page);
    while ($text =~ m{`((?:[\w+.-]+/)*[\w+-]+\.(?:swift|c|pl|py|pml|ld|supp|inc))`}g) {
        my $name = $1;
        report($page, "$name, which is no file") unless -e $name || grep { m{(?:^|/)\Q$name\E$} } @files;
    }
    while ($text =~ /`(\w+Tests)`/g) {
        my $suite = $1;
        report($page, "$suite, which is no suite of tests") unless $names{"$suite.swift"} || -d "Tests/$suite" || grep { m{/$suite/} } @files;
    }
}

for my $file (@files) {
    next if $file =~ m{\.json$} || !-T $file;
    my $text = content($file);
    # Comments go on in the next line.
    $text =~ s{\n[ \t]*(?://+|\*|\#|;)?[ \t]*}{ }g;
    while ($text =~ m{\b(GSC/1|Card), (\d+(?:\.\d+)*(?: [a-z]\b)?(?:(?:, | and | to )\d+(?:\.\d+)*(?: [a-z]\b)?(?![\w.]*\w))*)}g) {
        my ($page, $list) = ($1, $2);
        for (split /, | and | to /, $list) {
            report($file, "$page, $_, which is no section") unless $cited{$page}{$_};
        }
    }
    report($file, "\"$1\", which is to be \"GSC/1, N\" or \"Card, N\"") while $text =~ /\b((?:gsc1|card reference), \d)/g;
    if ($file =~ m{^Tests/}) {
        while ($text =~ /["( ]R(\d+)(?=[,:] )/g) {
            report($file, "R$1, which is no rule") unless $rules{$1};
        }
    }
    while ($text =~ m{(?<![\w/.\$\}*-])((?:Tests|Sources|Benchmarks|Include|docs|Examples)/[\w+-]+(?:[/.][\w+-]+)*)(?![\w/]*[\$*\{<\\])}g) {
        report($file, "$1, which does not exist") unless -e $1;
    }
}
exit status();
