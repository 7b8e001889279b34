#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Finds other versions than that of Include/CVersion/CVersion.h in the list of changes and in Debian's, and functions of
# the library that Packaging/debian/libkanal-pkcs11.symbols gives a later one. Looks at the tree in which the working directory is
# the root.
use strict;
use warnings;

sub content {
    my $file = shift;
    open my $handle, '<', $file or die "$file: $!\n";
    local $/;
    return <$handle>;
}

my $version = join '.', content('Include/CVersion/CVersion.h') =~ /^#define KANAL_VERSION_[A-Z]+ (\d+)$/mg;
my @faults;
my ($changes) = content('CHANGELOG.md') =~ /^## (.*)$/m;
push @faults, "CHANGELOG.md begins with \"$changes\", and not with version $version"
    unless $changes =~ /^\[Unreleased\]: \Q$version\E$/ || $changes =~ /^\[?\Q$version\E\]? - \d{4}-\d\d-\d\d$/;
my ($package) = content('Packaging/debian/changelog') =~ /\Akanal \(([^)]*)\)/;
push @faults, "Packaging/debian/changelog begins with version $package, and not with $version" unless $package eq $version;
for (content('Packaging/debian/libkanal-pkcs11.symbols') =~ /^ (\S+ \S+)$/mg) {
    my ($name, $since) = split;
    my ($first) = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] }
        map { [split /\./] } $since, $version;
    push @faults, "Packaging/debian/libkanal-pkcs11.symbols has $name since $since, which is later than $version"
        unless join('.', @$first) eq $since;
}
print STDERR "$_\n" for @faults;
exit(@faults ? 1 : 0);
