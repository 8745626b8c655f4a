package local_test

// foreignCalls are none: a program for arm64 cannot make those of arm.
var foreignCalls map[string][]byte
