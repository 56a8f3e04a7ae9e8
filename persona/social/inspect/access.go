package inspect

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// A role is what somebody may do.
type role uint8

const (
	nobody  role = iota
	readers      // may see what groups see
	owners       // may see and change all
)

// Limits of logins.
const (
	sessionTime = 12 * time.Hour
	maxSessions = 100
)

// sessionCookie is the name of the cookie of a browser that has sent a token.
const sessionCookie = "hearth_inspect"

// An access decides about the rights of requests.
type access struct {
	o          Options
	sameOrigin *http.CrossOriginProtection

	mu       sync.Mutex
	sessions map[string]session // by the random value of the cookie
}

type session struct {
	role role
	ends time.Time
}

func newAccess(o Options) *access {
	return &access{o: o, sameOrigin: http.NewCrossOriginProtection(), sessions: map[string]session{}}
}

// isOwnHost reports whether a Host header is an address or a known name. Another name may be that of a page that points it here.
func (a *access) isOwnHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || host == "localhost" || slices.Contains(a.o.Hosts, host)
}

// roleOfToken compares in constant time, also for different lengths.
func (a *access) roleOfToken(token string) role {
	given := sha256.Sum256([]byte(token))
	is := func(want string) bool {
		sum := sha256.Sum256([]byte(want))
		return subtle.ConstantTimeCompare(given[:], sum[:]) == 1 && want != ""
	}
	switch owner, reader := is(a.o.Token), is(a.o.ReadToken); {
	case owner:
		return owners
	case reader:
		return readers
	}
	return nobody
}

// roleOf returns the role of a request by its bearer token or its cookie.
func (a *access) roleOf(r *http.Request) role {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return a.roleOfToken(strings.TrimSpace(token))
	}
	c, err := r.Cookie(sessionCookie)
	if err != nil {
		return nobody
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.sessions[c.Value]
	if !ok || time.Now().After(s.ends) {
		delete(a.sessions, c.Value)
		return nobody
	}
	return s.role
}

// login gives a cookie for a token, and shows the first page.
func (a *access) login(w http.ResponseWriter, r *http.Request) {
	is := a.roleOfToken(r.PostFormValue("token"))
	if is == nobody {
		time.Sleep(time.Second) // slows guesses down
		renderLogin(w, r, a.o.Path, true)
		return
	}
	value := rand.Text()
	a.mu.Lock()
	for id, s := range a.sessions {
		if len(a.sessions) >= maxSessions || time.Now().After(s.ends) {
			delete(a.sessions, id)
		}
	}
	a.sessions[value] = session{is, time.Now().Add(sessionTime)}
	a.mu.Unlock()
	a.setCookie(w, r, value, int(sessionTime/time.Second))
	http.Redirect(w, r, a.o.Path+"/", http.StatusSeeOther)
}

func (a *access) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(sessionCookie); err == nil {
		a.mu.Lock()
		delete(a.sessions, c.Value)
		a.mu.Unlock()
	}
	a.setCookie(w, r, "", -1)
	http.Redirect(w, r, a.o.Path+"/", http.StatusSeeOther)
}

func (a *access) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: value, Path: a.o.Path + "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}
