#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Writes a man page for a command and for each of its subcommands, from what the command tells of itself.
#
#   kanal --experimental-dump-help | Packaging/manual.pl VERSION DIRECTORY [LANGUAGE]
#
# The command tells of itself in the language of its environment; the words that a page has besides are here.
# A paragraph of several lines in a discussion is shown as it is; one line in capitals is a heading.
use strict;
use warnings;
use utf8;
use JSON::PP;

my ($version, $directory, $language) = @ARGV;
my %languages = (
    ru => {
        NAME => 'ИМЯ', SYNOPSIS => 'СИНТАКСИС', DESCRIPTION => 'ОПИСАНИЕ', 'EXIT STATUS' => 'КОД ЗАВЕРШЕНИЯ',
        'SEE ALSO' => 'СМОТРИТЕ ТАКЖЕ', command => 'команда', 'The commands are:' => 'Команды:', See => 'См.',
        default => 'по умолчанию',
    },
);
my $words = $languages{ $language // '' } // {};
my $root = decode_json(join '', <STDIN>)->{command};
my @pages;
collect($root);
write_page($_) for @pages;

sub collect {
    my ($command, @path) = @_;
    return if $command->{commandName} eq 'help' || !$command->{shouldDisplay};
    push @path, $command->{commandName};
    push @pages, { %$command, path => [@path] };
    collect($_, @path) for @{ $command->{subcommands} // [] };
}

sub word { $words->{ $_[0] } // $_[0] }
sub heading { '.Sh ' . word($_[0]) . "\n" }

# Text as mdoc has it: each sentence on a line of its own.
sub text {
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/([.?]["»]?\)?) +(?=[\p{Lu}"«-])/$1\n/g;
    $text =~ s/^(?=[.'])/\\&/mg;
    return "$text\n";
}

sub discussion {
    my ($text) = @_;
    my $page = '';
    my $follows = 0;
    for my $paragraph (split /\n\n+/, $text) {
        my ($heading, $rest) = $paragraph =~ /^([\p{Lu} ]+)\n(.*)/s;
        $page .= ".Sh $heading\n" if $heading;
        $follows &&= !$heading;
        $paragraph = $rest // $paragraph;
        if ($paragraph =~ /\n/) {
            $paragraph =~ s/\\/\\e/g;
            $page .= ".Bd -literal -offset 2n\n$paragraph\n.Ed\n";
        } else {
            $page .= ($follows ? ".Pp\n" : '') . text($paragraph);
        }
        $follows = 1;
    }
    return $page;
}

sub flags { join ' , ', map { 'Fl ' . ($_->{kind} eq 'long' ? '-' : '') . $_->{name} } @{ $_[0]{names} } }

sub synopsis {
    my ($argument) = @_;
    my $value = $argument->{valueName};
    my $text =
        $argument->{kind} eq 'positional' ? "Ar $value"
        : 'Fl -' . $argument->{preferredName}{name} . ($argument->{kind} eq 'option' ? " Ar $value" : '');
    $text .= ' ...' if $argument->{isRepeating};
    return $argument->{isOptional} ? ".Op $text\n" : ".$text\n";
}

sub description {
    my ($argument) = @_;
    my $value = $argument->{valueName};
    my $item =
        $argument->{kind} eq 'positional' ? "Ar $value"
        : flags($argument) . ($argument->{kind} eq 'option' ? " Ar $value" : '');
    my $text = $argument->{abstract} // '';
    my $default = $argument->{defaultValue};
    my $mark = '(' . word('default') . ': ';
    $text .= " $mark$default)" if defined $default && index($text, $mark) < 0;
    return ".It $item\n" . text($text);
}

sub write_page {
    my ($command) = @_;
    my $name = join '-', @{ $command->{path} };
    my $abstract = lcfirst($command->{abstract} // $name);
    $abstract =~ s/\.$//;
    $abstract =~ s/\. .*//;
    my @arguments = grep { $_->{shouldDisplay} } @{ $command->{arguments} // [] };
    my @commands = grep { $_->{commandName} ne 'help' } @{ $command->{subcommands} // [] };
    my $page = ".Dd \$Mdocdate\$\n.Dt \U$name\E 1\n.Os Kanal $version\n" . heading('NAME') . ".Nm $name\n.Nd $abstract\n";
    $page .= heading('SYNOPSIS') . '.Nm ' . join(' ', @{ $command->{path} }) . "\n" . join('', map { synopsis($_) } @arguments);
    $page .= '.Op Ar ' . word('command') . "\n" if @commands;
    my ($before, $after) = split /\n\n(?=[\p{Lu} ]+\n)/, $command->{discussion} // $command->{abstract} . '', 2;
    $page .= heading('DESCRIPTION') . discussion($before);
    $page .= ".Bl -tag -width Ds\n" . join('', map { description($_) } @arguments) . ".El\n" if @arguments;
    if (@commands) {
        $page .= ".Pp\n" . word('The commands are:') . "\n.Bl -tag -width Ds\n";
        $page .= ".It Cm $_->{commandName}\n" . text($_->{abstract}) for @commands;
        $page .= ".El\n";
    }
    $page .= discussion($after) if $after;
    $page .= heading('EXIT STATUS') . word('See') . "\n.Xr $root->{commandName} 1 .\n" unless $command == $pages[0];
    my @others = grep { "@$_" ne "@{ $command->{path} }" } map { $_->{path} } @pages;
    my $parent = join ' ', @{ $command->{path} }[0 .. $#{ $command->{path} } - 1];
    my @near = grep { "@$_" eq $parent || "@$_[0 .. $#$_ - 1]" eq "@{ $command->{path} }" } @others;
    $page .= heading('SEE ALSO') . join(" ,\n", map { '.Xr ' . join('-', @$_) . ' 1' } sort { "@$a" cmp "@$b" } @near) . "\n";
    open my $file, '>:encoding(UTF-8)', "$directory/$name.1" or die "$directory/$name.1: $!\n";
    print $file $page;
    close $file or die "$directory/$name.1: $!\n";
}
