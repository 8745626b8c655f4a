package attention

import "time"

// quietly is the shortest time between two bells.
const quietly = 5 * time.Second

// Bells says when the bell rings: at most every five seconds. A bell that comes sooner is put off. Its zero value has not rung yet.
type Bells struct {
	rung   time.Time // when the bell last rang
	putOff string    // the text of a bell that was put off, "" for none
}

// Ring reports whether a bell may ring now; otherwise it is put off.
func (b *Bells) Ring(text string, now time.Time) bool {
	b.putOff = ""
	if now.Sub(b.rung) < quietly {
		b.putOff = text
		return false
	}
	b.rung = now
	return true
}

// PutOff returns the text of a bell that was put off, "" for none.
func (b *Bells) PutOff() string { return b.putOff }

// Drop drops a bell that was put off.
func (b *Bells) Drop() { b.putOff = "" }
