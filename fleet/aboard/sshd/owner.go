package sshd

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// OwnHome is the environment variable that makes a ship's server become the user who owns its home. Commands do not
// get it.
const OwnHome = "OCAPTAIN_OWN_HOME"

// becomeOwner turns a process of the superuser into a process of the user who owns home. A machine may restart
// programs as the superuser, and a mix of files of two users would keep a ship from working. It returns nil if there
// is nothing to do.
func becomeOwner(home string) error {
	info, err := os.Stat(home)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if os.Geteuid() != 0 || !ok || owner.Uid == 0 {
		return nil
	}
	name, groups := ownerOf(owner)
	runtime.LockOSThread() // capabilities belong to a thread, and it gives them up for good
	err = errors.Join(dropInheritable(), syscall.Setgroups(groups), syscall.Setgid(int(owner.Gid)), syscall.Setuid(int(owner.Uid)))
	if err != nil {
		return fmt.Errorf("become the owner of %s: %w", home, err)
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "USER=") || strings.HasPrefix(kv, "LOGNAME=") || strings.HasPrefix(kv, OwnHome+"=")
	})
	if name != "" {
		env = append(env, "USER="+name, "LOGNAME="+name)
	}
	if err := os.Chdir(home); err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(exe, os.Args, env) // executed again, so that only the owner can read its /proc
}

// ownerOf returns the name of a file's owner, "" if it has none, and the owner's groups.
func ownerOf(owner *syscall.Stat_t) (name string, groups []int) {
	groups = []int{int(owner.Gid)}
	u, err := user.LookupId(strconv.Itoa(int(owner.Uid)))
	if err != nil {
		return "", groups
	}
	ids, _ := u.GroupIds()
	for _, id := range ids {
		if gid, err := strconv.Atoi(id); err == nil && gid != 0 && !slices.Contains(groups, gid) {
			groups = append(groups, gid)
		}
	}
	return u.Username, groups
}
