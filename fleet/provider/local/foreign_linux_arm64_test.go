package local_test

// foreignCalls is empty: a program for arm64 cannot make the system calls of arm.
var foreignCalls map[string][]byte
