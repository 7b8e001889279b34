# SPDX-License-Identifier: Apache-2.0
# What checks of the tree share: the text of a file, and reports of what is wrong. They run in the tree's root.
package Tree;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(content report status);

my $wrong = 0;

sub content {
    my $file = shift;
    open my $handle, '<:encoding(UTF-8)', $file or die "$file: $!\n";
    local $/;
    my $text = <$handle>;
    return $text;
}

# report FILE, WORDS
sub report {
    my ($file, $what) = @_;
    binmode STDERR, ':encoding(UTF-8)';
    print STDERR "$file: $what\n";
    $wrong++;
    return;
}

# The exit status of the check.
sub status { return $wrong ? 1 : 0 }

1;
