package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Command is a command in a sandbox.
type Command struct {
	*exec.Cmd
	own   *Network
	info  *os.File // bubblewrap writes the id of the first process in the sandbox to it
	life  *os.File // read by the programs that carry the ship's network, and held open by the ship
	first int
}

// Command prepares a command that has file at descriptor 3. If own is nil, it shares this machine's network.
func (s *Sandbox) Command(ctx context.Context, own *Network, argv []string, file *os.File) (*Command, error) {
	info, told, err := infoPipe()
	if err != nil {
		return nil, err
	}
	c := &Command{own: own, info: info}
	files := []*os.File{file, told}
	if own != nil {
		var held *os.File
		if c.life, held, err = os.Pipe(); err != nil {
			c.Close()
			told.Close()
			return nil, err
		}
		files = append(files, held)
	}
	if c.Cmd, err = s.command(ctx, files, append(own.arguments(), "--info-fd", "4"), argv); err != nil {
		c.Close()
		closeFiles(files[1:])
		return nil, err
	}
	return c, nil
}

// command prepares a command that has files at the descriptors from 3 on. The caller closes files and, on success, all of the
// command's ExtraFiles.
func (s *Sandbox) command(ctx context.Context, files []*os.File, more, argv []string) (*exec.Cmd, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap is not installed")
	}
	rules, err := wallFilter()
	if err != nil {
		return nil, err
	}
	filter, err := readable(rules)
	if err != nil {
		return nil, err
	}
	args := slices.Concat(s.args, []string{"--seccomp", strconv.Itoa(3 + len(files))}, more, []string{"--"}, argv)
	cmd := exec.CommandContext(ctx, bwrap, args...)
	cmd.ExtraFiles = append(files, filter)
	cmd.Env = []string{"PATH=/usr/bin:/bin", s.at.Marker()}
	// A bubblewrap that is killed while it builds the sandbox leaves a process that never ends: the process group
	// lets both be killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// Check runs a command in the sandbox, as an installed bubblewrap may not work with this kernel and its security
// modules. It leaves no file behind, since another process may be removing the home of the same ship.
func (s *Sandbox) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd, err := s.command(ctx, nil, nil, []string{"test", "-d", s.at.Home})
	if err != nil {
		return err
	}
	defer closeFiles(cmd.ExtraFiles)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bubblewrap does not work here: %s (%w)", strings.TrimSpace(said.String()), err)
	}
	return nil
}

// CheckNetwork runs a command in the sandbox with its own network.
func (s *Sandbox) CheckNetwork(ctx context.Context, own *Network) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	c, err := s.Command(ctx, own, []string{"cat"}, null)
	if err != nil {
		return err
	}
	defer c.Close()
	stdin, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		stdin.Close()
		_ = c.Wait()
	}()
	if _, err := c.First(ctx); err != nil {
		return err
	}
	return c.Connect(ctx)
}

// First returns the id of the first process in the sandbox, once the command was started.
func (c *Command) First(ctx context.Context) (int, error) {
	closeFiles(c.ExtraFiles)
	defer context.AfterFunc(ctx, func() { c.info.Close() })()
	var told struct {
		Pid int `json:"child-pid"`
	}
	if err := json.NewDecoder(c.info).Decode(&told); err != nil || told.Pid <= 1 {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, errors.New("bubblewrap failed")
	}
	c.first = told.Pid
	return c.first, nil
}

// Connect connects the ship's own network.
func (c *Command) Connect(ctx context.Context) error {
	if err := c.own.connect(ctx, c.first, c.life); err != nil {
		return &NoNetworkError{err}
	}
	return nil
}

// Close closes what the command does not need to go on.
func (c *Command) Close() {
	if c.Cmd != nil {
		closeFiles(c.ExtraFiles)
	}
	closeFiles([]*os.File{c.info, c.life})
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close() // may be nil
	}
}

// infoPipe returns the pipe on which bubblewrap reports the process in the sandbox. Bubblewrap's end can be read too:
// otherwise, without a reader, the report would kill bubblewrap, and the other process would never end its wait for it.
func infoPipe() (info, told *os.File, err error) {
	info, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer write.Close()
	told, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", write.Fd()), os.O_RDWR, 0)
	if err != nil {
		info.Close()
		return nil, nil, err
	}
	return info, told, nil
}

// readable returns a file with this content, positioned at the start.
func readable(content []byte) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = write.Write(content) // the content fits in a pipe
	if err := errors.Join(err, write.Close()); err != nil {
		read.Close()
		return nil, err
	}
	return read, nil
}
