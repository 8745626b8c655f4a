package join_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/tailnet/tailnettest"
)

// What systemd has on such a machine: no more than to look after services. Nothing that clears directories or looks for devices is there.
var (
	systemUnits = []string{
		"basic.target", "dbus-org.freedesktop.login1.service", "dbus.service", "dbus.socket", "final.target", "local-fs.target", "multi-user.target",
		"network.target", "nss-user-lookup.target", "paths.target", "reboot.target", "shutdown.target", "slices.target", "sockets.target", "sysinit.target",
		"systemd-journald-dev-log.socket", "systemd-journald.service", "systemd-journald.socket", "systemd-logind.service", "systemd-reboot.service",
		"timers.target", "umount.target", "user-runtime-dir@.service", "user.slice", "user@.service",
	}
	userUnits = []string{"app.slice", "basic.target", "default.target", "exit.target", "paths.target", "shutdown.target", "sockets.target", "systemd-exit.service", "timers.target"}
	wants     = map[string]string{
		"default.target":                                 "multi-user.target",
		"sockets.target.wants/dbus.socket":               "../dbus.socket",
		"sockets.target.wants/systemd-journald.socket":   "../systemd-journald.socket",
		"sysinit.target.wants/systemd-journald.service":  "../systemd-journald.service",
		"multi-user.target.wants/systemd-logind.service": "../systemd-logind.service",
	}
)

// install makes a machine, which is gone at the end of the test. It is off.
func install(t *testing.T) *machine {
	t.Helper()
	m := &machine{disk: mounted(t, "tmpfs"), groups: controlGroup(t)}
	for _, dir := range []string{"usr", "etc/pam.d", "etc/systemd/system", "opt/bin", "root", "home", "var/lib/systemd/linger"} {
		if err := os.MkdirAll(filepath.Join(m.disk, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+name, filepath.Join(m.disk, name)); err != nil {
			t.Fatal(err)
		}
	}
	readOnly(t, "/usr", filepath.Join(m.disk, "usr"))
	m.units(t, "system", systemUnits, wants)
	m.units(t, "user", userUnits, nil)
	for _, dir := range []string{"system-generators", "user-generators", "system-environment-generators", "user-environment-generators"} {
		if at := filepath.Join(m.disk, "usr/lib/systemd", dir); exists(at) {
			tmpfs(t, at)
		}
	}
	m.etc(t)
	m.programs(t)
	return m
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// mounted is a filesystem, until the end of the test. What it holds is nothing to remove one by one.
func mounted(t *testing.T, kind string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "machine-")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(ours, dir, kind, 0, ""); err != nil {
		t.Fatalf("no %s for a machine with systemd: %v", kind, errors.Join(err, os.Remove(dir)))
	}
	t.Cleanup(func() {
		if err := errors.Join(unix.Unmount(dir, unix.MNT_DETACH), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func tmpfs(t *testing.T, at string) {
	t.Helper()
	if err := unix.Mount(ours, at, "tmpfs", 0, "mode=755"); err != nil {
		t.Fatalf("mount a tmpfs at %s: %v", at, err)
	}
}

func readOnly(t *testing.T, from, to string) {
	t.Helper()
	err := unix.Mount(from, to, "", unix.MS_BIND, "")
	if err == nil {
		err = unix.Mount("", to, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	if err != nil {
		t.Fatalf("mount %s read-only: %v", from, err)
	}
}

// units leaves systemd some of its units, and wants among them.
func (m *machine) units(t *testing.T, whose string, some []string, wants map[string]string) {
	t.Helper()
	dir, all := filepath.Join(m.disk, "usr/lib/systemd", whose), map[string][]byte{}
	for _, name := range some {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("systemd, dbus and libpam-systemd must be installed: %v", err)
		}
		all[name] = raw
	}
	tmpfs(t, dir)
	for name, raw := range all {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range wants {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(to, at)); err != nil {
			t.Fatal(err)
		}
	}
}

// etc is how the machine is set up.
func (m *machine) etc(t *testing.T) {
	t.Helper()
	passwd := "messagebus:x:100:100::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n"
	group := "tty:x:5:\nsudo:x:27:mate,pilot\nmessagebus:x:100:\nsystemd-journal:x:101:\nnogroup:x:65534:\n"
	for _, a := range []account{superuser, mate, pilot, sailor} {
		passwd += fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh\n", a.name, a.id, a.id, a.home)
		group += fmt.Sprintf("%s:x:%d:\n", a.name, a.id)
		home := filepath.Join(m.disk, a.home)
		if err := errors.Join(os.MkdirAll(home, 0o700), os.Chown(home, a.id, a.id)); err != nil {
			t.Fatal(err)
		}
	}
	manager := "[Manager]\nDefaultEnvironment="
	for name, value := range tailnettest.Env {
		manager += name + "=" + value + " "
	}
	for name, text := range map[string]string{
		"passwd": passwd, "group": group, "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n", "hosts": "127.0.0.1 localhost\n",
		"hostname": "ship\n", "machine-id": strings.Repeat("0c", 16) + "\n", "systemd/system.conf": manager + "\n", "systemd/user.conf": manager + "\n",
		"pam.d/systemd-user": "account required pam_permit.so\nsession required pam_systemd.so\n",
		"pam.d/other":        "account required pam_deny.so\nsession required pam_deny.so\n",
	} {
		at := filepath.Join(m.disk, "etc", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(m.disk, "var/lib/systemd/linger", sailor.name), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// programs are ocaptain, which is this test, and a sudo, which Debian does not come with.
func (m *machine) programs(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(m.disk, "opt/bin")
	raw, err := os.ReadFile("/usr/bin/setpriv")
	if err != nil {
		t.Fatal(err)
	}
	const sudo = "#!/bin/sh\n[ \"$1 $2\" = '-n --' ] || exit 1\nshift 2\nexec /opt/bin/rise --reuid=0 --regid=0 --clear-groups \"$@\"\n"
	if err := errors.Join(
		os.WriteFile(filepath.Join(bin, "ocaptain"), nil, 0o755),
		os.WriteFile(filepath.Join(bin, "sudo"), []byte(sudo), 0o755),
		os.WriteFile(filepath.Join(bin, "rise"), raw, 0o755),
		os.Chown(filepath.Join(bin, "rise"), 0, 27),
		os.Chmod(filepath.Join(bin, "rise"), 0o750|os.ModeSetuid),
	); err != nil {
		t.Fatal(err)
	}
	readOnly(t, exe, filepath.Join(bin, "ocaptain"))
}
