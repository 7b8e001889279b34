#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tests stop the processes that they have started, and no other process that has got one's number since.
# bats file_tags=unbuilt
load ../common

setup_file() { :; }

@test "an adopted process is stopped" {
    launch sleep 100
    goes_on $launched
    stop $launched
    refute kill -0 $launched
}

@test "a process that has an adopted one's number, and began later, goes on" {
    local other
    sleep 100 3>&- &
    other=$!
    echo "$other 1" >> .processes
    refute goes_on $other
    stop $other
    kill -0 $other
    refute grep "^$other " .processes
    kill $other
}

@test "a process that had ended when it was adopted is stopped under no number" {
    local other
    sleep 0 3>&- &
    other=$!
    wait $other
    adopt $other
    printed "^$other ended$" .processes
    refute goes_on $other
}
