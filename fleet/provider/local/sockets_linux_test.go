package local_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/provider/local"
)

// attackSockets prints each socket of a family that ships do not need which it gets, or which something other than the filter
// refuses.
func attackSockets() error {
	const high = 1 << 40 // bits that the kernel ignores
	for _, call := range []uintptr{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		for family := uintptr(0); family < 64; family++ {
			protocols := []uintptr{0}
			switch family {
			case unix.AF_UNIX, unix.AF_INET, unix.AF_INET6:
				continue
			case unix.AF_NETLINK:
				protocols = []uintptr{unix.NETLINK_KOBJECT_UEVENT, unix.NETLINK_GENERIC, unix.NETLINK_AUDIT, unix.NETLINK_NETFILTER, unix.NETLINK_XFRM}
			case unix.AF_PACKET:
				protocols = []uintptr{0, 0x300}
			}
			for _, kind := range []uintptr{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
				for _, protocol := range protocols {
					for _, garbage := range []uintptr{0, high} {
						var pair [2]int32
						_, _, errno := unix.RawSyscall6(call, family|garbage, kind, protocol|garbage, uintptr(unsafe.Pointer(&pair)), 0, 0)
						if errno != unix.EAFNOSUPPORT {
							fmt.Println("call", call, "family", family|garbage, "type", kind, "protocol", protocol, "errno", errno)
						}
					}
				}
			}
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&[120]byte{})), 0); errno != unix.ENOSYS {
		fmt.Println("io_uring:", errno)
	}
	for _, family := range []int{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		fd, err := unix.Socket(family, unix.SOCK_DGRAM, 0)
		if err != nil {
			fmt.Println("family", family, "is needed:", err)
		}
		_ = unix.Close(fd)
	}
	return attackTables()
}

// attackTables makes system calls by the tables of another architecture. A kernel without such a table sends a signal.
func attackTables() error {
	debug.SetPanicOnFault(true)
	for name, code := range foreignCalls {
		page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return err
		}
		copy(page, code)
		first := &page[0]
		function := &first // a function value in Go points to a pointer to the code
		call := *(*func() int)(unsafe.Pointer(&function))
		if got := int32(orNoTable(call)); got != -int32(syscall.ENOSYS) {
			fmt.Println(name, got)
		}
	}
	return nil
}

// orNoTable returns the result of the call or, if the kernel does not know such calls, the result of a refusal.
func orNoTable(call func() int) (got int) {
	defer func() {
		if recover() != nil {
			got = -int(syscall.ENOSYS)
		}
	}()
	return call()
}

// TestSockets tries in a ship to get sockets of all kinds in every way that a program can: those to a virtual machine's host,
// which no network namespace contains, those of raw networks, and those of the kernel's own services.
func TestSockets(t *testing.T) { eachCaptain(t, attackSocketsFromShip) }

func attackSocketsFromShip(t *testing.T) {
	s := newShip(t, options(t, local.Always))
	if got := s.sh(`/run/ocaptain "$1" sockets`, attackRole); got != "" {
		t.Errorf("%s", got)
	}
	s.destroy()
}
