# A sub that does nothing with what it is given: what the programs themselves cost.
sub raw_syscalls::sys_enter { }
