package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jsimonetti/rtnetlink"
	"golang.org/x/sys/unix"

	"ocaptain/fleet/retry"
	"ocaptain/sync/bounded"
)

// networkPrograms finds the programs that a ship's own network needs.
func networkPrograms() (found struct{ pasta, nsenter string }, err error) {
	if found.pasta, err = exec.LookPath("pasta"); err != nil {
		return found, errors.New("pasta is not installed (package passt)")
	}
	if found.nsenter, err = exec.LookPath("nsenter"); err != nil {
		return found, errors.New("nsenter is not installed (package util-linux)")
	}
	return found, nil
}

// ownTun returns the device that the ship's checks use.
func ownTun(at Place) string {
	if os.Getuid() != 0 {
		return tunDevice
	}
	err := unix.Mknod(at.tun(), unix.S_IFCHR, int(unix.Mkdev(10, 200)))
	if (err == nil || errors.Is(err, unix.EEXIST)) && os.Chmod(at.tun(), 0o666) == nil {
		return at.tun()
	}
	return tunDevice
}

// carry runs pasta as long as somebody holds the other end of descriptor 5, and starts it again when it dies after it
// has worked once. The first argument says whether to join the user namespace at descriptor 3, which the shell keeps
// open, as newer versions of pasta close inherited descriptors. The network namespace is that of the process in the
// second argument or, if pasta may not read that, as in some versions run by root, the one at descriptor 4.
const carry = `[ -z "$1" ] || join="--userns /proc/$$/fd/3"
pid=$2 again=
shift 2
carry() { "$@" $join --netns "$at" 5<&- </dev/null; }
trap again=1 USR1
{ read -r _ <&5; kill -KILL 0; } 2>/dev/null &
while at=/proc/$pid/ns/net; carry "$@" || { at=/proc/self/fd/4; carry "$@"; }; [ "$again" ]; do sleep 1; done
exit 1
`

// connect connects the network of the ship whose first process is pid. It ends when the other end of life is closed.
func (n *Network) connect(ctx context.Context, pid int, life *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	// Wait for the loopback: bubblewrap fails when another process has a netlink socket in the namespace while it sets
	// the loopback up.
	if err := retry.Until(ctx, func() (bool, error) { return looped(pid) }); err != nil {
		return fmt.Errorf("its loopback: %w", err)
	}
	space, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return err
	}
	defer space.Close()
	owner, uid, err := ownerOfSpace(space)
	if err != nil {
		return fmt.Errorf("whose its network is: %w", err)
	}
	defer owner.Close()
	argv, join := n.argv, "yes"
	if own, err := isOwn(owner); err != nil {
		return err
	} else if own {
		// As root, pasta would become the user nobody, who may not join root's namespaces.
		join, argv = "", append(argv, "--runas", fmt.Sprint(os.Getuid()), "--netns-only")
	}
	said := bounded.NewOutput(1 << 10)
	cmd := exec.Command("/bin/sh", append([]string{"-c", carry, "sh", join, fmt.Sprint(pid)}, argv...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = "/", []string{"PATH=" + os.Getenv("PATH")}, said
	cmd.ExtraFiles = []*os.File{owner, space, life}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 && uid != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	err = retry.Until(ctx, func() (bool, error) {
		select {
		case <-ended:
			return false, fmt.Errorf("pasta does not work here: %s", firstError(said.String()))
		default:
			return connected(pid), nil
		}
	})
	if err == nil && n.program != nil {
		err = n.close(ctx, owner, space)
	}
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGUSR1)
	}
	if err != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	}
	return err
}

// firstError returns pasta's error, without its messages about a missing system log.
func firstError(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, "to syslog") && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "it ends at once"
	}
	return strings.Join(lines, "; ")
}

// ownerOfSpace returns the user namespace that a network namespace belongs to, and the user who made that.
func ownerOfSpace(space *os.File) (*os.File, uint32, error) {
	fd, err := unix.IoctlRetInt(int(space.Fd()), unix.NS_GET_USERNS)
	if err != nil {
		return nil, 0, err
	}
	uid, err := unix.IoctlGetUint32(fd, unix.NS_GET_OWNER_UID)
	return os.NewFile(uintptr(fd), "user namespace"), uid, err
}

// isOwn reports whether a user namespace is that of this process.
func isOwn(space *os.File) (bool, error) {
	own, err := os.Stat("/proc/self/ns/user")
	if err != nil {
		return false, err
	}
	other, err := space.Stat()
	return err == nil && os.SameFile(own, other), err
}

// looped reports whether the network of a process has its loopback.
func looped(pid int) (bool, error) {
	routes, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/fib_trie", pid))
	return bytes.Contains(routes, []byte("127.0.0.1")), err
}

// connected reports whether the network of a process has a route out.
func connected(pid int) bool {
	four, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/route", pid))
	for line := range bytes.Lines(four) {
		if f := bytes.Fields(line); len(f) > 2 && string(f[1]) == "00000000" {
			return true
		}
	}
	six, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/ipv6_route", pid))
	for line := range bytes.Lines(six) {
		f := bytes.Fields(line)
		if len(f) == 10 && string(f[0]) == strings.Repeat("0", 32) && string(f[1]) == "00" && string(f[9]) != "lo" {
			return true
		}
	}
	return false
}

// close keeps the ship from reaching this machine's addresses. pasta connects on this machine on behalf of the ship,
// so a program that listens at all addresses would otherwise answer the ship.
func (n *Network) close(ctx context.Context, owner, space *os.File) error {
	programs, err := networkPrograms()
	if err != nil {
		return err
	}
	argv := []string{"--net=/proc/self/fd/4"}
	if os.Getuid() != 0 {
		argv = append(argv, "--user=/proc/self/fd/3", "--preserve-credentials")
	}
	cmd := exec.CommandContext(ctx, programs.nsenter, append(append(argv, "--"), n.program...)...)
	cmd.ExtraFiles = []*os.File{owner, space}
	cmd.Env = append(os.Environ(), closeInstead+"="+strings.Join(n.closed, " "))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("shut it out of this machine's addresses: %w: %s", err, strings.TrimSpace(string(out[:min(len(out), 500)])))
	}
	return nil
}

// closeAddresses makes this process's network unable to reach the addresses. It uses rules, since a program that names the
// interface, as is necessary for link-local addresses, would ignore routes.
func closeAddresses(all []string) error {
	c, err := rtnetlink.Dial(nil)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, text := range all {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return err
		}
		family, bits := uint8(unix.AF_INET6), uint8(a.BitLen())
		if a.Is4() {
			family = unix.AF_INET
		}
		ip, first := net.IP(a.AsSlice()), uint32(1)
		err = c.Rule.Add(&rtnetlink.RuleMessage{
			Family: family, DstLength: bits, Action: unix.FR_ACT_UNREACHABLE,
			Attributes: &rtnetlink.RuleAttributes{Dst: &ip, Priority: &first},
		})
		if err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
	}
	return nil
}
