package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

var jump atomic.Pointer[atomic.Int64]

// jumped returns by how many seconds the clock of this process is wrong. It is also called where no system call may be
// made.
func jumped() int64 {
	if by := jump.Load(); by != nil {
		return by.Load()
	}
	return 0
}

// The number is in $HOME/.clock; init keeps looking for the file until it exists.
func init() {
	go func() {
		home, _ := syscall.Getenv("HOME")
		for ; jump.Load() == nil; Sleep(Second) {
			fd, err := syscall.Open(home+"/.clock", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			page, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
			if err == nil {
				jump.Store((*atomic.Int64)(unsafe.Pointer(&page[0])))
			}
			_ = syscall.Close(fd)
		}
	}()
}
