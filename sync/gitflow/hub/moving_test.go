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

// lineSize divides a page, so that a reader sees whole lines while a writer writes.
const lineSize = 64

// generation is one state of a file: each line names its generation and its number.
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

// stateOf says what is wrong with a file, "" when it is a state that a writer made: line after line, of one generation
// or with those of the next one first, which was being written over it.
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

// scribble does something to a file again and again until it is told to stop.
func scribble(dir string, seed uint64, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(seed, 1))
	name := filepath.Join(dir, fmt.Sprintf("moving-%d", seed))
	for gen := 0; ; gen++ {
		select {
		case <-stop:
			return
		case <-eventually.Later(time.Duration(r.IntN(3000)) * time.Microsecond): // lest it takes the whole machine
		}
		all := generation(gen, 1+r.IntN(1<<r.IntN(14)))
		switch r.IntN(7) {
		case 0: // beside and renamed
			_ = os.WriteFile(name+".tmp", all, 0o644)
			_ = os.Rename(name+".tmp", name)
		case 1:
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				_ = os.Truncate(name, info.Size()/lineSize/2*lineSize)
			}
			if r.IntN(2) == 0 {
				_ = os.Remove(name)
			}
		case 2: // a directory in its place, for a moment
			_ = os.Remove(name)
			if os.Mkdir(name, 0o755) == nil {
				_ = os.WriteFile(filepath.Join(name, "in"), all, 0o644)
				_ = os.RemoveAll(name)
			}
		default: // in place, a part at a time
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
