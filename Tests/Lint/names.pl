#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# Compares the pages that map promises, or other names, to Kanal with the tree: each test, script, function, return value,
# type, command, option, setting and exit status that they name has to exist; each promise has to be shown by a test, or
# is said not to be kept. The same for the list of threads, processes and handlers of fork in Architecture.md. The table
# that both first pages have is the same in both. Takes no arguments, and checks the tree with the working directory as its root.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Tree;

# The columns that are compared, counted from 0; the others have the words of other products.
my %pages = ('docs/Promises.md' => [1, 2], 'docs/Start/Vendors.md' => [1]);

# Tests by "Suite/test" and "Target.Suite/test", with the number of suites that have this name.
my %tests;
for my $file (split /\0/, `find Tests/Unit -name '*Tests*.swift' -print0`) {
    my ($target, $suite) = $file =~ m{^Tests/Unit/(\w+)/(?:.*/)?(\w+?)(?:\+\w+)?\.swift$} or next;
    my $text = content($file);
    # The arguments of an attribute end at the closing parenthesis that belongs to the first.
    while ($text =~ /^ *\@Test(\((?:[^()"]|"(?:[^"\\]|\\.)*"|(?1))*\))?\s+(?:static )?func (\w+)/mg) {
        $tests{"$suite/$2"}{$target} = $tests{"$target.$suite/$2"}{$target} = 1;
    }
}

my %scripts = map { (m{([^/]+)$})[0] => 1 } split /\0/, `find Tests -name '*.sh' -print0`;
my %functions = map { $_ => 1 } content('Tests/Programs/Module/functions.h') =~ /ENTRY\((C_\w+),/g;
my %values = map { $_ => 1 } content('Sources/Cryptoki/Errors/Names.swift') =~ /\b(CKR_\w+)/g;
my %settings = map { $_ => 1 } content('Packaging/kanal.conf') =~ /^#(\w+) =/mg;
my %statuses = map { $_ => 1 } content('docs/Command.md') =~ /^\| (\d+) \|/mg;

# The pages in Russian have the rows of those in English: exit statuses, subcommands, findings.
for my $page ('Command.md', 'Doctor.md') {
    my ($english, $russian) =
        map { join ' ', content("$_/$page") =~ /^\| (\d+|`[a-z][a-z .-]*`(?:, `[a-z][a-z .-]*`)*) \|/mg } 'docs', 'docs/ru';
    report("docs/ru/$page", "other rows than docs/$page") if $english ne $russian;
}

# Types and members of both Swift libraries, with and without the names of arguments.
my %members;
for (map { content($_) =~ /^([^\s:]+(?:\([^)]*\))?): /mg } 'Tests/Lint/interface.txt', 'Tests/Lint/interface-esia.txt') {
    $members{$_} = 1;
    $members{$1} = 1 if /^([^(]+)\(/;
}

# Options by their command, as the screen of all helps shows them.
my %commands = (kanal => {map { $_ => 1 } qw(--version --help)});
my $command = 'kanal';
for (split /\n/, content('Tests/Unit/KanalCommandTests/Screens/help.txt')) {
    $command = $1 eq '' ? 'kanal' : "kanal $1" if /^\$ kanal help ?([a-z ]*)$/;
    $commands{$command} ||= {};
    $commands{$command}{$_} = 1 for /(--[a-z][a-z-]+)/g;
}

# A command is the longest that the words begin with; its options have to be those of its help.
sub check_command {
    my ($page, $span) = @_;
    my @words = split / /, $span;
    my @name = shift @words;
    push @name, shift @words while @words && $commands{join ' ', @name, $words[0]};
    my $name = join ' ', @name;
    my $isGroup = grep { /^\Q$name\E / } keys %commands;
    report($page, "$span, which is not a command") if $isGroup && @words && $words[0] =~ /^[a-z]/;
    for (grep { /^--/ } @words) { report($page, "$span, which has no option $_") unless $commands{$name}{$_} }
}

sub check_span {
    my ($page, $span) = @_;
    if ($span =~ m{^(?:\w+\.)?\w+Tests/\w+$}) {
        my $count = keys %{$tests{$span} || {}};
        report($page, "$span, which is not a test") if $count == 0;
        report($page, "$span, which several targets have") if $count > 1;
    } elsif ($span =~ m{^[\w-]+\.sh$}) {
        report($page, "$span, which is not a script") unless $scripts{$span};
    } elsif ($span =~ /^C_\w+$/) {
        report($page, "$span, which is not a function") unless $functions{$span};
    } elsif ($span =~ /^CKR_\w+$/) {
        report($page, "$span, which is not a return value") unless $values{$span};
    } elsif ($span =~ /^kanal(?: |$)/) {
        check_command($page, $span);
    } elsif ($span =~ /^--/) {
        report($page, "$span, which is not an option") unless grep { $_->{$span} } values %commands;
    } elsif ($span =~ /^([a-z]+(?:_[a-z]+)+)(?: = .*)?$/) {
        report($page, "$span, which is not a setting") unless $settings{$1} || $span eq 'rutoken_ecp_';
    } elsif ($span =~ /^[A-Z]\w+(?:\.\w+)*(?:\([\w:]*\))?$/ && $span !~ /^[A-Z_0-9]+$/) {
        report($page, "$span, which neither KanalKit nor KanalESIA has") unless $members{$span};
    }
}

for my $page (sort keys %pages) {
    my ($isCode, $rows) = (0, 0);
    for (split /\n/, content($page)) {
        $isCode = !$isCode if /^```/;
        next if $isCode;
        unless (/^\|/) {
            while (m{`((?:\w+\.)?\w+Tests/\w+|[\w-]+\.sh)`}g) { check_span($page, $1) }
            next;
        }
        next if /^\|(?:-+\|)+$/;
        my @cells = map { s/^ +| +$//gr } split /\|/;
        shift @cells;
        push @cells, '' while @cells < 3;
        check_span($page, $_) for map { /`([^`]+)`/g } @cells[@{$pages{$page}}];
        for (map { /exit status (\d+)/g } @cells) {
            report($page, "the exit status $_, which docs/Command.md does not have") unless $statuses{$_};
        }
        next if $page ne 'docs/Promises.md' || $cells[0] eq 'promise';
        $rows++;
        report($page, "\"$cells[0]\" has neither a test nor a word why it is not kept")
            unless $cells[2] =~ m{`[^`]*(?:Tests/\w+|\.sh)`} || $cells[1] =~ /\*\*Not kept\*\*|of iOS alone/;
    }
    report($page, 'no promise') if $page eq 'docs/Promises.md' && $rows == 0;
}
# The files that start threads or processes, or register handlers of fork.
my ($list) = content('docs/Architecture.md') =~ /^### Threads, processes and handlers of fork\n(.*?)^## /ms;
my %listed = map { $_ => 1 } ($list // '') =~ /`([\w+-]+\.(?:swift|c))`/g;
my %starting;
for my $file (split /\0/, `find Sources \\( -name '*.swift' -o -name '*.c' \\) -print0`) {
    my $code = content($file) =~ s{//.*|/\*.*?\*/}{}gr;
    $starting{($file =~ m{([^/]+)$})[0]} = 1
        if $code =~ /\b(?:pthread_atfork|pthread_create|thrd_create|v?fork|clone|posix_spawnp?)\(/;
}
report('docs/Architecture.md', "$_, which starts nothing and registers no handler") for grep { !$starting{$_} } sort keys %listed;
report('docs/Architecture.md', "no word of $_, which starts a thread or process, or registers a handler of fork")
    for grep { !$listed{$_} } sort keys %starting;

# The table of the first pages, with places from the root of the tree.
my ($first, $second) = map {
    my ($page, $folder) = @$_;
    my ($section) = content($page) =~ /^## Never seen on a real token\n(.*?)^## /ms;
    join "\n", map { s/\]\((?=\w)/]($folder/gr } ($section // '') =~ /^(\|.*)$/mg;
} ['README.md', ''], ['docs/index.md', 'docs/'];
report('docs/index.md', 'another table of what was never seen on a real token than README.md') if $first ne $second || !$first;
exit status();
