#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Writes what a program or library carries in itself: an inventory in the format SPDX 2.3, and the notices of licences
# that go with it.
#
#   Packaging/inventory.pl VERSION BUILT INSTALLED DIRECTORY
#
# BUILT has its symbols yet; INSTALLED is the same without them. What is linked is what of the symbols of BUILT comes
# from the Swift packages of the build, the static libraries of the toolchain, and those of the C compiler. DIRECTORY gets
# NAME.spdx.json and NAME.notices.txt. SYSROOT is the root of another processor's libraries (Packaging/sdk.sh), if BUILT is
# for that. The time in the inventory is SOURCE_DATE_EPOCH, or that of the last commit.
use strict;
use warnings;
use Cwd 'realpath';
use Digest::SHA;
use File::Basename;
use JSON::PP;
use POSIX 'strftime';

my ($version, $built, $installed, $directory) = @ARGV;
(my $name = basename($built)) =~ s/\.so$//;
my $build = dirname($built);

my %licences = (
    swift => 'Apache-2.0 WITH Swift-exception', gcc => 'GPL-3.0-or-later WITH GCC-exception-3.1',
    llvm => 'Apache-2.0 WITH LLVM-exception', glibc => 'LGPL-2.1-or-later',
);
# The static libraries of the toolchain, by their names: the first pattern counts.
my @toolchain = (
    [qr/^libswiftDispatch|^libdispatch|^libBlocksRuntime/, 'swift-corelibs-libdispatch', 'swift'],
    [qr/^libswift/, 'swift', 'swift'],
    [qr/^lib_FoundationCollections/, 'swift-collections', 'swift'],
    [qr/^libFoundation(?:Essentials|Internationalization)|^lib_FoundationCShims/, 'swift-foundation', 'swift'],
    [qr/^lib(?:Core)?Foundation|^lib_CF/, 'swift-corelibs-foundation', 'swift'],
);

my %symbols = map { $_ => 1 } defined_symbols($built);
my %components;
swift_packages();
toolchain_libraries();
compiler_libraries();
write_inventory();
write_notices();

sub output_of {
    my @command = @_;
    open my $pipe, '-|', @command or die "$command[0]: $!\n";
    local $/;
    my $output = <$pipe> // '';
    close $pipe or die "@command: exit status $?\n";
    return $output;
}

sub content {
    my $file = shift;
    open my $handle, '<', $file or die "$file: $!\n";
    local $/;
    my $text = <$handle> // '';
    return $text;
}

# What is defined in ELF files, weak definitions aside: several files may have the same of these. In a library that
# shows few names to others the rest is local.
sub defined_symbols {
    my @lines = map { split /\n/ } output_of('nm', '--defined-only', '--quiet', '--no-sort', @_);
    return map { /^[0-9a-f]+ ([TDBRtdbr]) (\S+)$/ ? $2 : () } @lines;
}

sub is_linked {
    my @files = grep { -e } @_ or return 0;
    my @lines = map { split /\n/ } output_of('nm', '--defined-only', '--extern-only', '--quiet', '--no-sort', @files);
    return scalar grep { /^[0-9a-f]+ [TDBR] (\S+)$/ && $symbols{$1} } @lines;
}

sub add {
    my ($component, $version, $licence, $file, %more) = @_;
    my $entry = $components{$component} //= { version => $version, licence => $licence, files => [], %more };
    push @{ $entry->{files} }, $file;
}

# Packages that SwiftPM has fetched; a module of theirs that is linked has its objects in the build.
sub swift_packages {
    my $state = decode_json(content("$build/../../workspace-state.json"));
    for my $package (map { $_->{packageRef} ? $_ : () } @{ $state->{object}{dependencies} }) {
        my $checkout = "$build/../../checkouts/$package->{subpath}";
        for my $module (map { basename($_) } glob "$checkout/Sources/*") {
            next unless is_linked(glob "$build/$module.build/*.o");
            add($package->{packageRef}{identity}, $package->{state}{checkoutState}{version}, package_licence($checkout),
                $module, address => $package->{packageRef}{location},
                texts => [grep { -e } map { "$checkout/$_.txt" } qw(LICENSE NOTICE)]);
        }
    }
}

sub package_licence {
    my $text = content("$_[0]/LICENSE.txt");
    die "$_[0]: not a licence that this script knows\n" unless $text =~ /Apache License\s+Version 2\.0/;
    return $text =~ /Runtime Library Exception/ ? $licences{swift} : 'Apache-2.0';
}

sub toolchain_libraries {
    my ($swift) = map { realpath($_) } grep { -x } map { "$_/swift" } split /:/, $ENV{PATH};
    my $root = $ENV{SYSROOT} ? "$ENV{SYSROOT}/usr/libexec/swift" : dirname(dirname($swift));
    # Debian has no copy of the licence where the toolchain has it; this package's is the same.
    my ($text) = grep { -e } "$root/share/swift/LICENSE.txt", "$build/../../checkouts/swift-argument-parser/LICENSE.txt";
    my ($number) = output_of('swiftc', '--version') =~ /Swift version (\S+)/ or die "swiftc tells no version\n";
    for my $library (sort glob "$root/lib/swift_static/linux/*.a") {
        my $file = basename($library);
        my ($known) = grep { $file =~ $_->[0] } @toolchain;
        next unless is_linked($library);
        die "$file: a library that this script does not know\n" unless $known;
        add($known->[1], $number, $licences{ $known->[2] }, $file, texts => [$text // die "there is no licence of Swift\n"]);
    }
    # The runtime has a part of LLVM's library in it.
    add('llvm-support', $number, $licences{llvm}, 'libswiftCore.a') if grep { /__swift.*4llvm/ } keys %symbols;
}

sub compiler_libraries {
    my ($gcc, $glibc) = (output_of('gcc', '-dumpfullversion'), output_of('ldd', '--version') =~ /(\d+\.\d+)\n/);
    chomp $gcc;
    for (['libstdc++.a', 'libstdc++', $gcc, 'gcc'], ['libgcc_eh.a', 'libgcc', $gcc, 'gcc'],
        ['libgcc.a', 'libgcc', $gcc, 'gcc'], ['libc_nonshared.a', 'glibc', $glibc, 'glibc']) {
        my ($file, $component, $number, $licence) = @$_;
        my ($path) = $ENV{SYSROOT} ? glob "$ENV{SYSROOT}/usr/lib/{gcc/*/*,*-linux-*}/$file" : output_of('gcc', "-print-file-name=$file");
        chomp $path;
        add($component, $number, $licences{$licence}, $file) if is_linked($path);
    }
}

sub moment {
    my $time = $ENV{SOURCE_DATE_EPOCH} // `git log -1 --format=%ct 2> /dev/null`;
    return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime($time || (stat $built)[9]));
}

sub write_inventory {
    my $digest = Digest::SHA->new(256)->addfile($installed, 'b')->hexdigest;
    my @packages = ({
        SPDXID => "SPDXRef-$name", name => $name, versionInfo => $version, licenseDeclared => 'Apache-2.0',
        packageFileName => basename($installed), checksums => [{ algorithm => 'SHA256', checksumValue => $digest }],
        primaryPackagePurpose => $name =~ /^lib/ ? 'LIBRARY' : 'APPLICATION',
    });
    my @relations = (relation('SPDXRef-DOCUMENT', 'DESCRIBES', "SPDXRef-$name"));
    for my $component (sort keys %components) {
        my $entry = $components{$component};
        (my $id = "SPDXRef-$component") =~ s/[^\w.-]/-/g;
        push @packages, {
            SPDXID => $id, name => $component, versionInfo => $entry->{version}, licenseDeclared => $entry->{licence},
            comment => 'Linked from ' . join(', ', @{ $entry->{files} }),
            primaryPackagePurpose => 'LIBRARY',
        };
        $packages[-1]{downloadLocation} = "git+$entry->{address}\@$entry->{version}" if $entry->{address};
        push @relations, relation("SPDXRef-$name", 'STATIC_LINK', $id);
    }
    # Beside the libraries that it is linked to, those that it opens when they are first needed.
    my %loaded = map { $_ => 1 } output_of('readelf', '--dynamic', '--wide', $installed) =~ /\(NEEDED\).*\[(.*)\]/g,
        output_of('strings', $installed) =~ /^(lib(?:crypto|pcsclite)\.so\.\d+)$/mg;
    for my $library (sort keys %loaded) {
        (my $id = "SPDXRef-$library") =~ s/[^\w.-]/-/g;
        push @packages, { SPDXID => $id, name => $library, primaryPackagePurpose => 'LIBRARY' };
        push @relations, relation("SPDXRef-$name", 'DYNAMIC_LINK', $id);
    }
    for (@packages) {
        $_->{downloadLocation} //= 'NOASSERTION';
        $_->{licenseDeclared} //= 'NOASSERTION';
        $_->{licenseConcluded} = $_->{licenseDeclared};
        $_->{copyrightText} = 'NOASSERTION';
        $_->{filesAnalyzed} = JSON::PP::false;
    }
    save("$name.spdx.json", JSON::PP->new->canonical->pretty->encode({
        spdxVersion => 'SPDX-2.3', dataLicense => 'CC0-1.0', SPDXID => 'SPDXRef-DOCUMENT', name => "$name-$version",
        documentNamespace => "https://spdx.org/spdxdocs/$name-$version-$digest",
        creationInfo => { created => moment(), creators => ["Tool: kanal-inventory-$version"] },
        packages => \@packages, relationships => \@relations,
    }));
}

sub relation {
    my ($from, $type, $to) = @_;
    return { spdxElementId => $from, relationshipType => $type, relatedSpdxElement => $to };
}

sub write_notices {
    my $file = basename($installed);
    my $text = "What $file $version carries in itself, and under which licences\n\n";
    $text .= sprintf "%-28s %-10s %s\n", $name, $version, 'Apache-2.0';
    $text .= sprintf "%-28s %-10s %s\n", $_, @{ $components{$_} }{qw(version licence)} for sort keys %components;
    $text .= "\nThe exceptions of GCC, LLVM and Swift let a program that has parts of them in it be under terms of its own.\n";
    my %shown;
    for my $component (sort keys %components) {
        for my $path (@{ $components{$component}{texts} // [] }) {
            my $licence = content($path);
            my $users = $shown{$licence} //= [];
            push @$users, $component . ($path =~ /NOTICE/ ? ' (notice)' : '') unless grep { /^\Q$component\E/ } @$users;
        }
    }
    for my $licence (sort { "@{ $shown{$a} }" cmp "@{ $shown{$b} }" } keys %shown) {
        $text .= "\n" . '=' x 78 . "\n" . join(', ', @{ $shown{$licence} }) . "\n" . '=' x 78 . "\n\n$licence";
    }
    save("$name.notices.txt", $text);
}

sub save {
    my ($file, $text) = @_;
    open my $handle, '>', "$directory/$file" or die "$directory/$file: $!\n";
    print $handle $text;
    close $handle or die "$directory/$file: $!\n";
}
