// Package setup runs the repository's own setup script in a ship's clone before the agent begins to work there.
package setup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// Script is the repository's setup script.
const Script = "scripts/dev-setup.sh"

// Limits of the script's output: the size of its file in bytes, the size to which the file is cut, and the number of lines that
// go to the ship's log.
const (
	mostOutput = 16 << 20
	keptOutput = 64 << 10
	mostLines  = 1000
	lastLines  = 10
)

// Run runs the script in the ship's clone. It does nothing if there is no script, or if this version has already succeeded in this
// clone without changing a tracked file. From then on, git ignores files that the script has added, even in a run that was killed.
// The script has neither a terminal nor input. Processes that it leaves in the background go on; the script itself ends when ctx
// does. Its output goes to a file, and the end of that to the ship's log. The error of a failed script contains the last lines.
func Run(ctx context.Context, dir string) error {
	home := shipdir.Dir(dir)
	ship, err := shipdir.LoadShip(dir)
	if err != nil {
		return err
	}
	lock := flock.New(home.Path("setup.lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil { // a script from before a lost connection may still run
		return err
	}
	defer func() { _ = lock.Unlock() }()
	script, err := os.ReadFile(filepath.Join(ship.Workspace, Script))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", Script, err)
	}
	tree := clone(ship.Workspace)
	marker, err := tree.path(ctx, "ocaptain/setup.done") // in the clone, so that it is lost with the clone
	if err != nil {
		return err
	}
	sum := sha256.Sum256(script)
	digest := hex.EncodeToString(sum[:])
	if done, err := os.ReadFile(marker); err == nil && strings.TrimSpace(string(done)) == digest {
		return nil
	}
	before, err := tree.before(ctx)
	if err != nil {
		return err
	}
	book, err := shipdir.OpenJournal(home)
	if err != nil {
		return err
	}
	defer book.Close()
	book.Log("note", Script+" runs", "")
	out, err := openOutput(home.Path("setup.log"))
	if err != nil {
		return err
	}
	defer out.Close()
	began := time.Now()
	err = runScript(ctx, ship.Workspace, dir, script, out)
	if err := tree.noteRun(context.WithoutCancel(ctx), Interval{began, time.Now()}); err != nil {
		return err
	}
	if err := tree.exclude(context.WithoutCancel(ctx), before); err != nil {
		return err
	}
	out.shorten()
	out.tell(func(line string) { book.Log("out", line, "") })
	if err != nil {
		text := fmt.Sprintf("%s failed: %v", Script, err)
		book.Log("error", text, "")
		return errors.New(text + out.end())
	}
	book.Log("note", fmt.Sprintf("%s is done after %s", Script, time.Since(began).Round(time.Second)), "")
	if changed, err := tree.hasChanged(ctx); changed || err != nil { // the next dispatch resets these files, so the script has to run again
		return err
	}
	if err := os.MkdirAll(filepath.Dir(marker), 0o755); err != nil {
		return err
	}
	return shipdir.WriteFile(marker, digest+"\n")
}

// runScript runs the script in a new session, so that it has no terminal.
func runScript(ctx context.Context, workspace, home string, script []byte, out *output) error {
	cmd := exec.Command("./" + Script)
	info, err := os.Stat(filepath.Join(workspace, Script))
	if err == nil && info.Mode()&0o111 == 0 || !bytes.HasPrefix(script, []byte("#!")) {
		cmd = exec.Command("sh", Script) // a shell does the same with a file that is not executable
	}
	cmd.Dir = workspace
	cmd.Env = append(os.Environ(), "HOME="+home, "PATH="+filepath.Join(home, ".ocaptain", "bin")+":"+filepath.Join(home, ".local", "bin")+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = out.file, out.file // a file and no pipe, since background processes may go on writing
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan proto.AgentExited, 1)
	go func() { ended <- shipdir.HowEnded(cmd.Wait()) }()
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case how := <-ended:
			if how.Code == 0 && how.Signal == "" {
				return nil
			}
			return errors.New(how.HowText())
		case <-look.C:
			out.cut()
		case <-ctx.Done():
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			return context.Cause(ctx)
		}
	}
}

// output is the file with the script's output.
type output struct {
	file  *os.File
	freed int64 // bytes at the beginning whose blocks were freed
}

func openOutput(path string) (*output, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND, 0o600)
	return &output{file: f}, err
}

func (o *output) Close() { _ = o.file.Close() }

// cut frees the beginning of a file that has grown too large, while programs write to it. Its end keeps its place, so that nothing
// written meanwhile is lost. If the file system cannot do this, cut shortens the file.
func (o *output) cut() {
	info, err := o.file.Stat()
	if err != nil || info.Size()-o.freed <= mostOutput {
		return
	}
	from := info.Size() - keptOutput
	if punchHole(o.file, from) != nil {
		o.shorten()
		return
	}
	o.freed = from
}

// shorten keeps only the end of a file that has grown too large. Output that is written meanwhile may be lost.
func (o *output) shorten() {
	info, err := o.file.Stat()
	if err != nil || info.Size() <= mostOutput {
		return
	}
	end := o.last(keptOutput)
	if o.file.Truncate(0) == nil {
		_, _ = o.file.Write(append([]byte("… what came before was cut\n"), end...))
		o.freed = 0
	}
}

// last returns the last bytes of the file, at most that many.
func (o *output) last(most int64) []byte {
	info, err := o.file.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-most)
	raw := make([]byte, info.Size()-from)
	n, _ := o.file.ReadAt(raw, from)
	return raw[:n]
}

// tell calls line for each of the last lines of the file.
func (o *output) tell(line func(string)) {
	lines := bytes.Split(bytes.TrimRight(o.last(keptOutput), "\n"), []byte("\n"))
	if cut := len(lines) - mostLines; cut > 0 {
		line(fmt.Sprintf("… %d lines before; all of it is in ~/.ocaptain/setup.log", cut))
		lines = lines[cut:]
	}
	for _, l := range lines {
		if len(l) > 0 {
			line(shipdir.Cut(string(l), 2<<10))
		}
	}
}

// end returns the last lines, for an error.
func (o *output) end() string {
	lines := bytes.Split(bytes.TrimRight(o.last(keptOutput), "\n"), []byte("\n"))
	s := ""
	for _, l := range lines[max(0, len(lines)-lastLines):] {
		if len(l) > 0 {
			s += "\n" + shipdir.Cut(string(l), 300)
		}
	}
	return s
}
