package local_test

// foreignCalls are machine code of functions that make a system call of i386: getpid, socket and socketcall. Each
// returns the result.
var foreignCalls = map[string][]byte{
	"int 0x80, getpid": {0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3},
	"int 0x80, socket": {
		0xb8, 0x67, 1, 0, 0, // eax = 359
		0xbb, 40, 0, 0, 0, // ebx = AF_VSOCK
		0xb9, 1, 0, 0, 0, // ecx = SOCK_STREAM
		0x31, 0xd2, // edx = 0
		0xcd, 0x80, 0xc3,
	},
	"int 0x80, socketcall": {
		0xb8, 102, 0, 0, 0,
		0xbb, 1, 0, 0, 0, // SYS_SOCKET
		0x31, 0xc9, // the arguments would be at address 0
		0xcd, 0x80, 0xc3,
	},
	"x32, socket": {
		0xb8, 41, 0, 0, 0x40,
		0xbf, 40, 0, 0, 0, 0xbe, 1, 0, 0, 0, 0x31, 0xd2,
		0x0f, 0x05, 0xc3,
	},
}
