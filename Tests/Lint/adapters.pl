#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# adapters.pl PLAN MODULES FLAG...: prints, from SwiftPM's plan of the package Adapters, a makefile that checks the types
# of its targets, and writes the names of those that programs import together with KanalKit. KanalKit's own module, with
# these flags of the compiler, is in MODULES. Of other packages only the interface is compiled.
use strict;
use warnings;
use JSON::PP;

my ($plan, $modules, @flags) = @ARGV;
my $commands = decode_json(do { local (@ARGV, $/) = $plan; <> })->{swiftCommands};
my %target = map { $_->{moduleName} => $_ } values %$commands;
my @companions = qw(X509 SwiftASN1 Crypto CryptoExtras NIOSSL NIOCore);
my @system = qw(Foundation FoundationEssentials);
chomp(my $machine = qx(uname -m));

sub is_own { $_[0]{sources}[0] =~ m{/Adapters/} }
sub is_companion { $_[0]{sources}[0] =~ m{/checkouts/} }

# The arguments of a target without those that are about its objects, and without this project's C modules.
sub arguments {
    my @all = @{$_[0]{otherArguments}};
    my @kept;
    while (@all) {
        my $argument = shift @all;
        my @value = $argument =~ /^-(?:Xcc|index-store-path|emit-objc-header-path)$/ ? shift @all : ();
        next if $argument =~ /^-(?:index-store-path|emit-objc-header|incremental|enable-batch|serialize|parseable|g$|j\d)/;
        next if grep { m{^-g$|/(?:CProcess|COpenSSL|GOSTKernels)\.build/} } @value;
        push @kept, $argument, @value;
    }
    return @kept;
}

sub c_arguments {
    my @all = arguments($_[0]);
    return map { $all[$_] eq '-Xcc' ? @all[$_, $_ + 1] : () } 0 .. $#all;
}

my @rules;
sub rule {
    my ($made, $needed, @command) = @_;
    my @words = map { /^[\w\@\$.,:=+\/-]+$/ ? $_ : "'$_'" } @command;
    push @rules, "all: $made\n$made: " . join(' ', map { s/ /\\ /gr } @$needed) . "\n\t@words\n";
}

my %seen;
sub compile {
    my ($name) = @_;
    my $target = $target{$name};
    return () unless is_own($target) or is_companion($target);
    my $made = "$name.swiftmodule";
    return $made if $seen{$name}++;
    my @needed = map { compile($_) } map { $_->{name} =~ m{/Modules/(\w+)\.swiftmodule$} } @{$target->{inputs}};
    push @needed, "$modules/KanalKit.swiftmodule" if is_own($target);
    my @how = is_own($target)
        ? ('-wmo', '-I', $modules, @flags)
        : ('-suppress-warnings', '-Xfrontend', '-experimental-skip-all-function-bodies');
    rule($made, [@{$target->{sources}}, @needed], 'swiftc', '-emit-module', '-emit-module-path', '$@', '-module-name',
        $name, arguments($target), '-I', '.', @how, @{$target->{sources}});
    return $made;
}
compile($_) for sort grep { is_own($target{$_}) } keys %target;

for my $name (@companions, @system) {
    my $target = $target{$name};
    my @where = $target ? ('-I', '.', c_arguments($target)) : ();
    rule("$name.symbols.json", [$target ? "$name.swiftmodule" : ()], qw(swift symbolgraph-extract -module-name), $name,
        '-target', "$machine-unknown-linux-gnu", @where,
        qw(-minimum-access-level public -skip-synthesized-members -output-dir .));
}
print ".DEFAULT_GOAL := all\n", @rules;
