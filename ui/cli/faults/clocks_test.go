package faults

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/ui/cli/clitest"
)

// clocks lists jumps of the clock, back or ahead, as when somebody or the network sets it after a long sleep. Only the
// time of day jumps; measured durations do not.
var clocks = []fault{
	{name: "clock of the hub jumps", strike: func(v *voyage) hit { return v.jump("hub", v.home) }},
	{name: "clock of a ship jumps", strike: func(v *voyage) hit {
		ship := v.someShip()
		if dir, ok := v.ships()[ship]; ok {
			return v.jump(ship, homeOf(dir))
		}
		return did(false)
	}},
}

// jump sets the clocks of all processes that have this home wrong, and returns a hit that sets them right.
func (v *voyage) jump(who, home string) hit {
	by := []time.Duration{90 * time.Second, time.Hour, 26 * time.Hour}[v.rng.IntN(3)]
	if v.rng.IntN(2) == 0 {
		by = -by
	}
	err := setClock(home, by)
	v.note("%s: the clock jumps by %s: %v", who, by, err)
	return did(err == nil).until(func() { v.note("%s: the clock is right again: %v", who, setClock(home, 0)) })
}

// setClock writes the offset that processes of a build with jumping clocks add to the time of day.
func setClock(home string, by time.Duration) error {
	raw := binary.NativeEndian.AppendUint64(nil, uint64(int64(by/time.Second)))
	file := filepath.Join(home, ".clock")
	if _, err := os.Stat(file); err == nil {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(raw, 0) // in place: it is mapped into memory
		return errors.Join(err, f.Close())
	}
	if err := os.WriteFile(file+".new", raw, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// jumpingClocks returns the build flags for a program whose clock follows setClock: it has a modified standard library.
func jumpingClocks(dir string) ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	from := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	raw, err := os.ReadFile(filepath.Join(from, "time.go"))
	if err != nil {
		return nil, err
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(raw), now) != 1 {
		return nil, errors.New("the standard library reads the time in another way: look at time.Now")
	}
	own, err := filepath.Abs(filepath.Join("testdata", "jump.go"))
	if err != nil {
		return nil, err
	}
	changed := filepath.Join(dir, "time.go")
	if err := clitest.Write(changed, strings.Replace(string(raw), now, now+"\tsec += jumped()\n", 1)); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(from, "time.go"): changed, filepath.Join(from, "jump.go"): own,
	}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "overlay.json")
	return []string{"-overlay", file}, clitest.Write(file, string(overlay))
}
