package spritestest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/tasks/eventually"
)

// sandbox is the running part of a sprite. It has its own network, so that each sprite has its own loopback; the fake
// enters it by an SSH server that listens outside.
type sandbox struct {
	cmd    *exec.Cmd
	ended  chan struct{}
	addr   string
	signer ssh.Signer
	said   *bytes.Buffer
}

// spriteEnv is the default environment of a command.
var spriteEnv = []string{
	"HOME=/home/sprite", "USER=sprite", "LOGNAME=sprite", "SHELL=/bin/bash", "LANG=C.UTF-8",
	"PATH=/home/sprite/.local/bin:/.sprite/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}

// open starts the sandbox of a sprite whose files are in dir.
func (f *Fake) open(dir string) (*sandbox, error) {
	public, private, err := key()
	if err != nil {
		return nil, err
	}
	hostPublic, host, err := key()
	_ = hostPublic
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b := &sandbox{ended: make(chan struct{}), addr: listener.Addr().String(), said: new(bytes.Buffer)}
	if b.signer, err = ssh.ParsePrivateKey(private); err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{"privateKey": string(host), "authorizedKey": public})
	if err != nil {
		return nil, err
	}
	ways, err := f.ways()
	if err != nil {
		return nil, err
	}
	own := walls(dir, f.options.Exe)
	if f.options.RootServices {
		own = append(own, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL")
	}
	argv := append(append(own, ways...), "--", "/run/door")
	argv = append(argv, f.options.Args...)
	if argv = append([]string{"bwrap"}, argv...); os.Getuid() == 0 {
		// For root, bubblewrap covers parts of /proc, and then the sprite could not mount another one.
		argv = append([]string{"unshare", "--fork", "--kill-child", "--pid", "--mount-proc"}, argv...)
	}
	b.cmd = exec.Command(argv[0], argv[1:]...)
	b.cmd.Env = slices.Clone(spriteEnv)
	for name, value := range f.options.Env {
		b.cmd.Env = append(b.cmd.Env, name+"="+value)
	}
	b.cmd.Dir = "/"
	b.cmd.ExtraFiles = []*os.File{file}
	b.cmd.Stdin, b.cmd.Stderr = bytes.NewReader(config), b.said
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = b.cmd.Wait(); close(b.ended) }()
	if err := f.carrier(b); err != nil {
		b.kill()
		return nil, err
	}
	return b, nil
}

// walls returns bubblewrap's arguments: they show this machine's programs and the sprite's own files.
func walls(dir, exe string) []string {
	var args []string
	add := func(more ...string) { args = append(args, more...) }
	entries, _ := os.ReadDir("/")
	for _, e := range entries {
		at := "/" + e.Name()
		switch target, err := os.Readlink(at); {
		case err == nil:
			add("--symlink", target, at)
		case strings.Contains(" proc dev sys tmp run home root .sprite ", " "+e.Name()+" "):
		case e.IsDir():
			add("--ro-bind", at, at)
		}
	}
	add("--dev", "/dev", "--perms", "0755", "--dir", "/home", "--dir", "/run", "--ro-bind", exe, "/run/door")
	add("--bind", filepath.Join(dir, "home"), "/home/sprite", "--bind", filepath.Join(dir, "tmp"), "/tmp")
	add("--bind", filepath.Join(dir, "sprite"), "/.sprite")
	add("--unshare-ipc", "--unshare-net", "--die-with-parent", "--cap-drop", "ALL", "--chdir", "/home/sprite")
	if os.Getuid() != 0 {
		return append(args, "--unshare-pid", "--proc", "/proc")
	}
	add("--bind", "/proc", "/proc")
	for _, c := range []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_SETFCAP"} { // the last one allows a user namespace inside
		add("--cap-add", c)
	}
	return args
}

// key makes a key pair: the public key as one line, the private one as PEM.
func key() (public string, private []byte, err error) {
	_, secret, err := ed25519.GenerateKey(nil)
	if err != nil {
		return "", nil, err
	}
	signer, err := ssh.NewSignerFromKey(secret)
	if err != nil {
		return "", nil, err
	}
	block, err := ssh.MarshalPrivateKey(secret, "")
	if err != nil {
		return "", nil, err
	}
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey())), pem.EncodeToMemory(block), nil
}

// enter logs in to the sandbox.
func (b *sandbox) enter() (*ssh.Client, error) {
	client, err := ssh.Dial("tcp", b.addr, &ssh.ClientConfig{
		User: "sprite", Auth: []ssh.AuthMethod{ssh.PublicKeys(b.signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // it was started right here
		Timeout: 20 * time.Second,
	})
	if err != nil {
		select {
		case <-b.ended:
			return nil, fmt.Errorf("%w: %s", err, b.said)
		default:
		}
	}
	return client, err
}

// session begins a session in the sandbox. closeAll closes it and its connection.
func (b *sandbox) session() (session *ssh.Session, closeAll func(), err error) {
	client, err := b.enter()
	if err != nil {
		return nil, nil, err
	}
	if session, err = client.NewSession(); err != nil {
		client.Close()
		return nil, nil, err
	}
	return session, func() { session.Close(); client.Close() }, nil
}

// below returns all processes of the sandbox with their states.
func (b *sandbox) below() map[int]string {
	type process struct {
		parent int
		state  string
	}
	all := map[int]process{}
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if len(f) < 2 {
			continue
		}
		parent, _ := strconv.Atoi(f[1])
		all[pid] = process{parent, f[0]}
	}
	found := map[int]string{}
	for pid := range all {
		for up := pid; up > 1; up = all[up].parent {
			if up == b.cmd.Process.Pid {
				found[pid] = all[pid].state
				break
			}
		}
	}
	return found
}

// freeze stops all processes with SIGSTOP; thaw continues them.
func (b *sandbox) freeze() {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		moving := false
		for pid, state := range b.below() {
			if state != "T" && state != "Z" && state != "t" {
				moving = true
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
		if !moving {
			return
		}
	}
}

func (b *sandbox) thaw() {
	for pid := range b.below() {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

// kill kills all processes.
func (b *sandbox) kill() {
	for {
		for pid := range b.below() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-b.ended:
			return
		case <-eventually.Later(5 * time.Millisecond):
		}
	}
}

// processesNaming returns the processes that have text in their command line or environment.
func processesNaming(text string) []string {
	var found []string
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		if filepath.Base(p) == strconv.Itoa(os.Getpid()) {
			continue
		}
		cmdline, _ := os.ReadFile(p + "/cmdline")
		if bytes.Contains(cmdline, []byte(text)) {
			found = append(found, filepath.Base(p)+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}

// removeAll removes a tree, even if directories in it are read-only.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if errors.Is(err, fs.ErrPermission) {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
		err = os.RemoveAll(dir)
	}
	return err
}
