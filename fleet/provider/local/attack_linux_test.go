package local_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func attack(args []string) error {
	switch args[0] {
	case "connect":
		c, err := net.Dial(args[1], args[2])
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = io.Copy(os.Stdout, c)
		return err
	case "keys":
		return attackKeys()
	case "sockets":
		return attackSockets()
	case "spaces":
		return attackSpaces()
	case "fork":
		return attackFork()
	case "threads":
		return attackThreads()
	case "memory":
		return attackMemory()
	}
	return nil
}

// attackKeys prints each way in which it gets access to the kernel's keys.
func attackKeys() error {
	for _, ring := range []int{unix.KEY_SPEC_SESSION_KEYRING, unix.KEY_SPEC_USER_KEYRING, unix.KEY_SPEC_USER_SESSION_KEYRING, unix.KEY_SPEC_PROCESS_KEYRING} {
		if id, err := unix.KeyctlGetKeyringID(ring, true); !errors.Is(err, syscall.ENOSYS) {
			fmt.Println("keyring", ring, id, err)
		}
		if id, err := unix.AddKey("user", "attack", []byte("x"), ring); !errors.Is(err, syscall.ENOSYS) {
			fmt.Println("add to", ring, id, err)
		}
	}
	if id, err := unix.RequestKey("user", "attack", "", 0); !errors.Is(err, syscall.ENOSYS) {
		fmt.Println("request", id, err)
	}
	if raw, err := os.ReadFile("/proc/keys"); err == nil && strings.TrimSpace(string(raw)) != "" {
		fmt.Printf("/proc/keys: %s", raw)
	}
	return nil
}
