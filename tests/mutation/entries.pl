# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
#
# Reads the mutations of tests/mutation/*.txt for tests/mutation/run, which documents their form.
#   entries.pl list FILE...          a line for each: number, id, name of its file, place, programs (with tabs)
#   entries.pl reasons FILE...       a line for each that has one: number, reason
#   entries.pl apply TREE FILE...    writes all of them into the sources below TREE
#   entries.pl check TREE FILE...    as apply, but writes nothing
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use File::Basename qw(basename);

my $mode = shift @ARGV;
my $tree = $mode eq 'apply' || $mode eq 'check' ? shift @ARGV : '';
my %partOf = ('@' => 'after', '-' => 'from', '+' => 'to', '=' => 'reason');
my @entries = map { readEntries($_) } @ARGV;

if ($mode eq 'list') {
    for my $number (1 .. @entries) {
        my $entry = $entries[$number - 1];
        my ($code) = split /\n/, $entry->{from};
        print join("\t", $number, $entry->{id}, $entry->{group}, "$entry->{file}: $code", $entry->{programs}), "\n";
    }
} elsif ($mode eq 'reasons') {
    for my $number (1 .. @entries) {
        my $reason = $entries[$number - 1]{reason};
        print "$number\t$reason\n" if $reason ne '';
    }
} else {
    my %mutated = mutate();
    writeSources(%mutated) if $mode eq 'apply';
}

sub readEntries {
    my ($path) = @_;
    open my $file, '<', $path or die "cannot read $path: $!\n";
    my (@found, $source, $programs);
    my $part = '';
    while (my $line = <$file>) {
        chomp $line;
        if ($line =~ /^#/ || $line eq '') {
            $part = '';
        } elsif ($line =~ /^((?:src|include)\/\S+)\s+(\S.*)$/) {
            ($source, $programs, $part) = ($1, $2, '');
        } elsif (defined $source && $line =~ /^([-+=@]) ?(.*)$/) {
            my $next = $partOf{$1};
            if ($part eq '') {
                push @found, { file => $source, programs => $programs, at => "$path:$.",
                               group => basename($path, '.txt'), after => '', from => '', to => '', reason => '' };
            }
            $found[-1]{$next} .= ($part eq $next ? "\n" : '') . $2;
            $part = $next;
        } else {
            die "$path:$.: neither a source file with its programs nor a part of a mutation: $line\n";
        }
    }
    for my $entry (@found) {
        die "$entry->{at}: a mutation without the code that it replaces\n" if $entry->{from} eq '';
        if ($entry->{from} !~ /;\s*$/ && grep { !isExpression($_) } @$entry{qw(from to)}) {
            die "$entry->{at}: neither a statement nor an expression: $entry->{from}\n";
        }
        $entry->{id} = '0x' . substr(md5_hex(join "\0", @$entry{qw(file after from to)}), 0, 8);
    }
    return @found;
}

# Whether the code may be one, as far as it shows without a compiler.
sub isExpression {
    my ($code) = @_;
    my %count = map { my $bracket = $_; $bracket => scalar(() = $code =~ /\Q$bracket\E/g) } split //, '(){}[]';
    return $code =~ /^(?!(?:if|for|while|do|return)\b|[|<>=%\/.,?]|&&|\w+[*&]* const \w+ =)\S/ &&
           $code !~ /(?:[|=<>?,]|&&)\s*$/ && $count{'('} == $count{')'} &&
           $count{'{'} == $count{'}'} && $count{'['} == $count{']'};
}

# Finds the code whatever its spaces and line breaks.
sub patternOf {
    my ($code) = @_;
    my @tokens = $code =~ /\w+|[^\w\s]/g;
    my $pattern = $tokens[0] =~ /\w/ ? '(?<!\w)' : '';
    for my $i (0 .. $#tokens) {
        $pattern .= $tokens[$i] =~ /\w/ && $tokens[$i - 1] =~ /\w/ ? '\s+' : '\s*' if $i > 0;
        $pattern .= quotemeta $tokens[$i];
    }
    return $pattern . ($tokens[-1] =~ /\w/ ? '(?!\w)' : '');
}

# Sets the place of an entry in its source; gives what is wrong, if anything.
sub locate {
    my ($entry, $text) = @_;
    my $start = 0;
    if ($entry->{after} ne '') {
        my $after = patternOf($entry->{after});
        return "'$entry->{after}' is not in $entry->{file}" unless $text =~ /$after/;
        $start = $+[0];
    }
    my $pattern = patternOf($entry->{from});
    pos($text) = $start;
    return "its code is not in $entry->{file}: $entry->{from}" unless $text =~ /$pattern/g;
    @$entry{qw(begin end)} = ($-[0], $+[0]);
    if ($entry->{from} =~ /;\s*$/ && substr($text, 0, $entry->{begin}) =~ /(?:\.|->|::)$/) {
        return "its statement is a part of another one in $entry->{file}, say all of that: $entry->{from}";
    }
    if ($entry->{after} eq '' && $text =~ /$pattern/g) {
        return "its code is in $entry->{file} more than once, say after what (@): $entry->{from}";
    }
    return '';
}

# The text from $begin to $end with the mutations in it, which lie one after the other or in each other.
sub render {
    my ($text, $begin, $end, @inside) = @_;
    my $result = '';
    while (my $outer = shift @inside) {
        my @nested;
        push @nested, shift @inside while @inside && $inside[0]{end} <= $outer->{end};
        if (@inside && $inside[0]{begin} < $outer->{end}) {
            die "$inside[0]{at}: its code overlaps with that of $outer->{at}\n";
        }
        $result .= substr($text, $begin, $outer->{begin} - $begin);
        my $code = render($text, $outer->{begin}, $outer->{end}, @nested);
        my $isOn = "::nnburst::isMutated($outer->{id})";
        $result .= $outer->{from} =~ /;\s*$/ ? "if ($isOn) { $outer->{to} } else { $code }"
                                             : "($isOn ? ($outer->{to}) : ($code))";
        $begin = $outer->{end};
    }
    return $result . substr($text, $begin, $end - $begin);
}

# The sources that have mutations, by name, with the mutations in them.
sub mutate {
    my (%inFile, %texts, %mutated, @faults);
    for my $entry (@entries) {
        my $name = $entry->{file};
        if (!exists $texts{$name}) {
            open my $file, '<', "$tree/$name" or die "$entry->{at}: cannot read $name: $!\n";
            local $/;
            $texts{$name} = <$file>;
        }
        my $fault = locate($entry, $texts{$name});
        push @faults, "$entry->{at}: $fault\n" if $fault ne '';
        push @{ $inFile{$name} }, $entry;
    }
    die @faults if @faults;
    for my $name (keys %texts) {
        my @sorted = sort { $a->{begin} <=> $b->{begin} || $b->{end} <=> $a->{end} } @{ $inFile{$name} };
        my $text = render($texts{$name}, 0, length $texts{$name}, @sorted);
        my $include = '#include "nnburst/mutation_switch.h"';
        $text =~ s/^#pragma once\n/$&$include\n/m or $text =~ s/^#include/$include\n$&/m;
        $mutated{$name} = $text;
    }
    return %mutated;
}

sub writeSources {
    my (%mutated) = @_;
    for my $name (sort keys %mutated) {
        open my $file, '>', "$tree/$name" or die "cannot write $name: $!\n";
        print $file $mutated{$name};
    }
    open my $file, '>', "$tree/include/nnburst/mutation_switch.h" or die "cannot write the switch: $!\n";
    print $file <<'HEADER';
#pragma once
#include <cstdlib>
#include <type_traits>
namespace nnburst {
inline const unsigned long activeMutation = [] {
    const char* id = std::getenv("NNBURST_MUTATION");
    return id == nullptr ? 0UL : std::strtoul(id, nullptr, 16);
}();
inline bool isActiveMutation(unsigned long id) noexcept { return activeMutation == id; }
constexpr bool isMutated(unsigned long id) noexcept {
    if (std::is_constant_evaluated()) {
        return false;
    } else {
        return isActiveMutation(id);
    }
}
}  // namespace nnburst
HEADER
}
