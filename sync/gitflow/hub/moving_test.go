package hub

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ocaptain/tasks/eventually"
)

// lineSize divides the page size, so that a concurrent reader sees whole lines only.
const lineSize = 64

// generation returns one state of a file: each line has the generation and the line's number.
func generation(gen, lines int) []byte {
	var b strings.Builder
	end := " " + strings.Repeat("x", lineSize-19) + "\n"
	number := func(n int) {
		text := strconv.Itoa(n)
		b.WriteString("00000000"[:8-len(text)] + text)
	}
	for n := range lines {
		number(gen)
		b.WriteByte(' ')
		number(n)
		b.WriteString(end)
	}
	return []byte(b.String())
}

// stateOf returns what is wrong with a file's content, "" for a state that scribble wrote: all lines of one
// generation, or first lines of the next generation, which was overwriting the file.
func stateOf(b string) string {
	gen := -1
	for n := range len(b) / lineSize {
		line := b[n*lineSize : (n+1)*lineSize]
		g, err := strconv.Atoi(line[:8])
		number, e := strconv.Atoi(line[9:17])
		if err != nil || e != nil || line[8] != ' ' || number != n {
			return fmt.Sprintf("line %d is %q", n, line)
		}
		if gen >= 0 && g > gen {
			return fmt.Sprintf("line %d of generation %d comes after %d", n, g, gen)
		}
		gen = g
	}
	if len(b)%lineSize != 0 {
		return "a line is cut"
	}
	return ""
}

// scribble rewrites, truncates, renames or removes a file again and again until stop is closed.
func scribble(dir string, seed uint64, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(seed, 1))
	name := filepath.Join(dir, fmt.Sprintf("moving-%d", seed))
	for gen := 0; ; gen++ {
		select {
		case <-stop:
			return
		case <-eventually.Later(time.Duration(r.IntN(3000)) * time.Microsecond): // leave processor time for others
		}
		all := generation(gen, 1+r.IntN(1<<r.IntN(14)))
		switch r.IntN(7) {
		case 0: // write a new file and rename it
			_ = os.WriteFile(name+".tmp", all, 0o644)
			_ = os.Rename(name+".tmp", name)
		case 1:
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				_ = os.Truncate(name, info.Size()/lineSize/2*lineSize)
			}
			if r.IntN(2) == 0 {
				_ = os.Remove(name)
			}
		case 2: // put a directory in its place for a moment
			_ = os.Remove(name)
			if os.Mkdir(name, 0o755) == nil {
				_ = os.WriteFile(filepath.Join(name, "in"), all, 0o644)
				_ = os.RemoveAll(name)
			}
		default: // write in place, a part at a time
			flags := os.O_CREATE | os.O_WRONLY
			if r.IntN(2) == 0 {
				flags |= os.O_TRUNC
			} else if info, err := os.Stat(name); err == nil && info.Size() > 0 {
				all = generation(gen, int(info.Size())/lineSize)
			}
			f, err := os.OpenFile(name, flags, 0o644)
			if err != nil {
				continue
			}
			for len(all) > 0 {
				n := min(len(all), 64*lineSize)
				_, _ = f.Write(all[:n])
				all = all[n:]
			}
			f.Close()
		}
	}
}
