package faults

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/ui/cli/faults/reader"
)

var far = []string{"hosts", "sprites", "exedev"}

// links lists faults of the connections to ships, which become bad and good again.
var links = []fault{
	{name: "link is cut", places: far, hides: []reader.Claim{reader.Deaths}, strike: func(v *voyage) hit { return v.badLink(cut) }},
	{name: "link is half open", places: far, hides: []reader.Claim{reader.Deaths}, strike: func(v *voyage) hit { return v.badLink(silent) }},
	{name: "link is slow", places: far, hides: []reader.Claim{reader.Deaths}, strike: func(v *voyage) hit { return v.badLink(slow) }},
	{name: "link flaps", places: far, hides: []reader.Claim{reader.Deaths}, strike: func(v *voyage) hit {
		h := v.badLink(cut)
		for range 4 {
			v.wait(0)
			h.heal()
			h = v.badLink(cut)
		}
		return h
	}},
}

// badLink makes the connections to ships bad.
func (v *voyage) badLink(m mode) hit {
	p := v.ground.links[v.rng.IntN(len(v.ground.links))]
	before := p.suffered()
	p.be(m)
	return hit{
		happened: func() bool { return p.suffered() > before },
		heal: func() {
			p.be(good)
			v.note("link is good")
		},
	}
}

// lies lists known misbehaviour of providers. Each lie is told to the next requests of a kind; a lie that no request has met
// when the fault ends is dropped.
var lies = []fault{
	sprite("answers are lost", "POST", "", spritestest.LoseAnswer), sprite("made, and status 500", "POST", "", spritestest.Break),
	sprite("made two seconds later", "POST", "", spritestest.Late), sprite("busy", "", "/*", spritestest.TooMany),
	sprite("drops requests", "", "/*", spritestest.Drop), sprite("refuses requests", "", "/*", spritestest.Refuse),
	sprite("destroyed, and status 500", "DELETE", "/*", spritestest.Break), sprite("destroyed, and no answer", "DELETE", "/*", spritestest.LoseAnswer),
	sprite("refuses to destroy", "DELETE", "/*", spritestest.Refuse), sprite("drops ways", "GET", "/*/proxy", spritestest.Drop),
	sprite("made, and refused", "POST", "", spritestest.Deny), sprite("not made, and said to be", "POST", "", spritestest.Claim),
	sprite("a sprite is not listed", "GET", "/*", spritestest.Miss), sprite("lists nothing", "GET", "", spritestest.Miss),
	sprite("not destroyed, and said to be", "DELETE", "/*", spritestest.Claim), sprite("destroyed, and refused", "DELETE", "/*", spritestest.Deny),
	sprite("commands without an end", "GET", "/*/exec", spritestest.NoExit), sprite("end without a code", "GET", "/*/exec", spritestest.BareExit),
	sprite("lists lag", "GET", "", spritestest.Lag), sprite("another is logged in", "GET", "", spritestest.Stranger),
	{name: "sprite is paused", places: []string{"sprites"}, strike: func(v *voyage) hit {
		return did(v.eachSprite(v.ground.sprites.Pause))
	}},
	{name: "sprite is cold", places: []string{"sprites"}, strike: func(v *voyage) hit {
		return did(v.eachSprite(v.ground.sprites.Chill))
	}},
	exe("answers are lost", "new", exedevtest.Lost), exe("made, and status 500", "new", exedevtest.Unseen), exe("made two seconds later", "new", exedevtest.Late),
	exe("drops new", "new", exedevtest.Dropped), exe("lists are broken", "ls", exedevtest.Broken), exe("lists are throttled", "ls", exedevtest.Throttle),
	exe("states are unknown", "ls status", exedevtest.Hidden), exe("destroyed, and no answer", "rm", exedevtest.Lost),
	exe("refuses to destroy", "rm", exedevtest.Broken), exe("destroyed, and status 500", "rm", exedevtest.Unseen), exe("destroyed two seconds later", "rm", exedevtest.Late),
	exe("made, and refused", "new", exedevtest.Denied),
	exe("destroyed, and refused", "rm", exedevtest.Denied), exe("not destroyed, and said to be", "rm", exedevtest.Claimed),
	exe("lists lack machines", "ls", exedevtest.Lacks), exe("lists lag", "ls", exedevtest.Lags), exe("another is logged in", "whoami", exedevtest.Stranger),
	{name: "a host is not known to have a ship", places: []string{"hosts"}, strike: func(v *voyage) hit {
		records, _ := filepath.Glob(filepath.Join(v.hubState(), "hosts", v.id+"-ship*.json"))
		return v.away(records)
	}},
	{name: "a local ship is not known", places: []string{"local"}, strike: func(v *voyage) hit {
		records, _ := filepath.Glob(filepath.Join(v.hubState(), "ships", v.id+"-ship*", "machine.json"))
		return v.away(records)
	}},
	{name: "exe.dev stops a machine", places: []string{"exedev"}, strike: func(v *voyage) hit {
		all := v.ground.exedev.Machines()
		if len(all) == 0 {
			return did(false)
		}
		name := all[v.rng.IntN(len(all))]
		err := v.ground.exedev.Stop(name)
		v.note("stops %s: %v", name, err)
		return did(err == nil)
	}},
}

// sprite is a fault in which sprites.dev misbehaves at the next requests, while ships come and go.
func sprite(name, method, path string, m spritestest.Misdeed) fault {
	return fault{name: "sprites.dev: " + name, places: []string{"sprites"}, strike: func(v *voyage) hit {
		times := 1 + v.rng.IntN(3)
		left := v.ground.sprites.Plan(spritestest.Fault{Method: method, Path: "/v1/sprites" + path, Times: times, Misdeed: m})
		v.comeAndGo()
		return hit{happened: func() bool { return left() < times }}
	}}
}

// exe is a fault in which exe.dev misbehaves at the next commands, while ships come and go.
func exe(name, command string, f exedevtest.Fault) fault {
	return fault{name: "exe.dev: " + name, places: []string{"exedev"}, strike: func(v *voyage) hit {
		for range 1 + v.rng.IntN(2) {
			v.ground.exedev.Misbehave(command, f)
		}
		before := v.ground.exedev.Misdeeds(command, f)
		v.comeAndGo()
		return hit{happened: func() bool { return v.ground.exedev.Misdeeds(command, f) > before }}
	}}
}

// away hides the only record of a ship for less than the time that proves the ship gone, and has helm look for it.
func (v *voyage) away(records []string) hit {
	if len(records) == 0 {
		return did(false)
	}
	record := records[v.rng.IntN(len(records))]
	gone := os.Rename(record, record+".away")
	v.note("%s is away: %v", record, gone)
	for _, name := range []string{filepath.Base(record), filepath.Base(filepath.Dir(record))} {
		if ship, ok := v.shipOf(name, v.id); ok {
			v.signal(ship, syscall.SIGKILL, v.aboard(ship))
		}
	}
	v.wait(time.Duration(v.rng.IntN(2000)) * time.Millisecond)
	v.note("it is back: %v", os.Link(record+".away", record)) // helm may have made another record by now
	_ = os.Remove(record + ".away")
	return did(gone == nil)
}

// comeAndGo replaces a ship, adds one, or does neither: then the misbehaviour meets the end of the voyage.
func (v *voyage) comeAndGo() {
	switch v.rng.IntN(3) {
	case 0:
	case 1:
		v.replace()
	default:
		out, code := v.run("ship", "add", "--voyage", v.id)
		v.note("ship add: exit %d %.300s", code, out)
	}
}

func (v *voyage) eachSprite(do func(name string)) (any bool) {
	for _, name := range v.ground.sprites.Names() {
		if v.rng.IntN(2) == 0 {
			do(name)
			any = true
			v.note("%s", name)
		}
	}
	return any
}
