package term

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestDevFresh(t *testing.T) {
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	n, _ := strconv.Atoi(os.Getenv("N"))
	for _, k := range []struct {
		k string
		n int
	}{{"common", 150}, {"full", 40}, {"full", 300}, {"shown", 150}} {
		m := newTmux(t, testCols, testRows)
		var trials []trial
		for i := range uint64(n) {
			trials = append(trials, generated(k.k, uint64(from)+i, k.n))
		}
		fmt.Println(k)
		complain(t, m.judge(trials), 0)
	}
}

func TestDevFreshAttach(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	c := m.attach(testCols, testRows)
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	n, _ := strconv.Atoi(os.Getenv("N"))
	var vs []verdict
	for i := range uint64(n) {
		vs = append(vs, c.judge(generated("common", uint64(from)+i, 150)))
	}
	complain(t, vs, 0)
	var trials []trial
	for i := range uint64(n) {
		tr := generated("shown", uint64(from)+i, 150)
		trials = append(trials, trial{tr.name, c.record(tr)})
	}
	complain(t, m.judge(trials), 0)
}

func TestDevSoak(t *testing.T) {
	secs, _ := strconv.Atoi(os.Getenv("SECS"))
	seed, _ := strconv.Atoi(os.Getenv("FROM"))
	total := 0
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	end := time.Now().Add(time.Duration(secs) * time.Second)
	for i := uint64(seed); time.Now().Before(end); i++ {
		s := New(1+r.IntN(200), 1+r.IntN(60), r.IntN(50))
		g := generator{r, testCols, testRows, r.IntN(2) == 0}
		data := []byte(g.write(500, g.full))
		for range 20 {
			for range r.IntN(40) {
				data[r.IntN(len(data))] = byte(r.IntN(256))
			}
			for k := 0; k < 4; k++ {
				a, b := r.IntN(len(data)), r.IntN(len(data))
				apply(s, data[min(a, b):max(a, b)])
				total += max(a, b) - min(a, b)
				s.Resize(r.IntN(220), r.IntN(70))
			}
		}
		if err := bounded(s); err != nil {
			t.Fatal(i, err)
		}
	}
	fmt.Println("soak bytes", total)
}
