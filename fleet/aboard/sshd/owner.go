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

// OwnHome is the variable that has a ship's server become who owns its home. No command gets it.
const OwnHome = "OCAPTAIN_OWN_HOME"

// becomeOwner makes this process, when it is the superuser's, one of the user whose home it is to serve: what
// restarts programs on a machine may do so as the superuser, and files of two users there keep a ship from working.
// It returns when there is nothing to do.
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
	runtime.LockOSThread() // what it may do belongs to a thread, and is given up for good
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
	return syscall.Exec(exe, os.Args, env) // its /proc is the owner's only then
}

// ownerOf is the name of a file's owner, where it has one, and the groups.
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
