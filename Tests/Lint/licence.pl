#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Finds sources, scripts, man pages and settings that do not name their licence at the top. "licence.pl --add" writes it
# there: in the first line, or behind one that must be the first. Checks the tree with the working directory as its
# root.
use strict;
use warnings;

my $identifier = 'SPDX-License-Identifier: Apache-2.0';
my @forms = (
    [qr/\.(?:swift|java|modulemap|rules)$/, '// ', ''],
    [qr/\.(?:c|cpp|h|inc|ld|pml|so|css|js)$/, '/* ', ' */'],
    [qr/\.pv$/, '(* ', ' *)'],
    [qr/\.svg$/, '<!-- ', ' -->'],
    [qr/\.[15](?:\.in)?$/, '.\" ', ''],
    [qr{\.(?:sh|pl|pm|py|conf|cnf|cfg|dict|supp|map|po|(?:pc|service|spec)\.in|module|mk|prerm)$|(?:^|/)Makefile$|^\.ci/|^Packaging/debian/(?:rules|control|.*overrides|tests/.*)$}, '# ', ''],
);
# Pages, data, and generated files that their tools read.
my $exempt = qr{\.(?:md|json|gz|txt)$|(?:^|/)(?:LICENSE|\.gitignore|\.swift-format|Package\.resolved)$|^Tests/Vectors/files/[a-z0-9-]+(?:\.(?:cer|key|p7[bms]|pfx|tsv))?$|^Packaging/debian/(?:changelog|clean|copyright|source/format|.*\.(?:symbols|examples))$};
my $adds = @ARGV && $ARGV[0] eq '--add';
my $wrong = 0;

for my $file (sort split /\0/, `find . \\( -name .git -o -name '.build*' -o -name out \\) -prune -o -type f -printf '%P\\0'`) {
    next if $file =~ $exempt;
    my ($form) = grep { $file =~ $_->[0] } @forms;
    if (!$form) {
        print STDERR "$file: licence.pl does not know how this kind of file names its licence\n";
        $wrong++;
        next;
    }
    open my $handle, '<', $file or die "$file: $!\n";
    my @lines = <$handle>;
    close $handle;
    my $line = "$form->[1]$identifier$form->[2]\n";
    my $first = @lines && $lines[0] =~ m{^#!|^// swift-tools-version} ? 1 : 0;
    next if @lines > $first && $lines[$first] eq $line;
    if (!$adds) {
        print STDERR "$file: no \"$identifier\" at the top; Tests/Lint/licence.pl --add writes it\n";
        $wrong++;
        next;
    }
    # A blank line separates a comment about the file.
    my $gap = $form->[1] eq '// ' && @lines > $first && $lines[$first] =~ m{^//} ? "\n" : '';
    splice @lines, $first, 0, $line, $gap;
    open $handle, '>', $file or die "$file: $!\n";
    print $handle @lines;
    close $handle or die "$file: $!\n";
}
exit($wrong ? 1 : 0);
