package inspect

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

//go:embed assets
var assets embed.FS

// pages are parsed when the first one is shown, so that programs without pages pay nothing.
var pages = sync.OnceValue(func() *template.Template { return template.Must(template.New("").ParseFS(assets, "assets/*.html")) })

// A page is one request with what its template may use.
type page struct {
	h    *Handler
	w    http.ResponseWriter
	r    *http.Request
	feed *feed // nil for the list of bots
	role role
	lang language

	Data any // of the template
}

// errNotFound is returned for a page that is not there, or that the role may not see.
var errNotFound = errors.New("inspect: not found")

// page registers a page for those with at least a role.
func (h *Handler) page(pattern string, least role, serve func(*page) error) {
	h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(social.WithActor(r.Context(), "page"))
		p := &page{h: h, w: w, r: r, role: h.access.roleOf(r), lang: languageOf(r)}
		if r.URL.Query().Get("lang") != "" {
			http.SetCookie(w, &http.Cookie{Name: languageCookie, Value: string(p.lang), Path: h.o.Path + "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode})
		}
		switch {
		case p.role == nobody:
			renderLogin(w, r, h.o.Path, false)
			return
		case p.role < least:
			http.Error(w, p.T("forbidden"), http.StatusForbidden)
			return
		}
		if strings.Contains(pattern, "{bot}") {
			if p.feed = h.feedOf(r); p.feed == nil {
				http.NotFound(w, r)
				return
			}
		}
		switch err := serve(p); {
		case err == nil:
		case errors.Is(err, errNotFound):
			w.WriteHeader(http.StatusNotFound)
			p.render("message.html", p.T("gone"))
		default:
			h.o.Logger.Warn("inspect: a page failed", "path", r.URL.Path, "err", err)
			w.WriteHeader(http.StatusInternalServerError)
			p.render("message.html", err.Error())
		}
	})
}

// render writes a page.
func (p *page) render(name string, data any) {
	p.Data = data
	p.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := pages().ExecuteTemplate(p.w, name, p); err != nil && p.r.Context().Err() == nil {
		p.h.o.Logger.Warn("inspect: a page was not written", "page", name, "err", err)
	}
}

func renderLogin(w http.ResponseWriter, r *http.Request, path string, wrong bool) {
	p := &page{h: &Handler{o: Options{Path: path}}, w: w, r: r, lang: languageOf(r)}
	w.Header().Set("WWW-Authenticate", "Bearer")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	p.Data = wrong
	_ = pages().ExecuteTemplate(w, "login.html", p) // the client may be gone
}

// serveAsset serves the style sheets and the scripts. They hold nothing secret.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	kind := map[string]string{
		"style.css": "text/css; charset=utf-8", "day.css": "text/css; charset=utf-8",
		"events.js": "text/javascript; charset=utf-8", "live.js": "text/javascript; charset=utf-8", "day.js": "text/javascript; charset=utf-8",
	}[r.PathValue("name")]
	if kind == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	b, _ := assets.ReadFile("assets/" + r.PathValue("name"))
	_, _ = w.Write(b)
}

// Functions of templates.

// T returns a text in the language of the page.
func (p *page) T(key string) string { return p.lang.text(key) }

// Lang returns "zh-CN" or "en".
func (p *page) Lang() string { return string(p.lang) }

// Root returns the path of the first page without the slash at its end.
func (p *page) Root() string { return p.h.o.Path }

// Base returns the path of the bot's pages with a slash at its end.
func (p *page) Base() string {
	if p.feed == nil {
		return p.Root() + "/"
	}
	return fmt.Sprintf("%s/bot/%d/", p.Root(), p.feed.index)
}

// Name returns the name of the bot.
func (p *page) Name() string {
	if p.feed == nil {
		return "hearth"
	}
	return p.feed.Name
}

// Bots returns the number of bots.
func (p *page) Bots() int { return len(p.h.bots) }

// Signed reports whether somebody is signed in.
func (p *page) Signed() bool { return p.role != nobody }

// Owner reports whether all may be seen and changed.
func (p *page) Owner() bool { return p.role == owners }

// Here returns the address of this page in another language.
func (p *page) Here(lang string) string {
	q := p.r.URL.Query()
	q.Set("lang", lang)
	return p.Root() + p.r.URL.Path + "?" + q.Encode()
}

// Clock returns a time as people read it.
func (p *page) Clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	now := p.shown(time.Now())
	if t = p.shown(t); now.Sub(t) < 20*time.Hour && t.Sub(now) < 20*time.Hour {
		return t.Local().Format("15:04:05")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// shown converts a time of the bot for display.
func (p *page) shown(t time.Time) time.Time {
	if p.feed == nil || p.feed.Time == nil || t.IsZero() {
		return t
	}
	return p.feed.Time(t)
}

// Share returns a number with two decimals.
func (p *page) Share(f float64) string { return fmt.Sprintf("%.2f", f) }

// ChatURL returns the address of a chat's page.
func (p *page) ChatURL(c persona.Chat) string {
	return p.Base() + "chat?" + url.Values{"chat": {c.String()}}.Encode()
}

// Title returns the name of a chat with its id.
func (p *page) Title(c persona.Chat) string {
	if c == (persona.Chat{}) {
		return p.T("account")
	}
	if !p.mayRead(c) {
		return p.T("private")
	}
	if name := p.feed.info(c).name; name != "" {
		return name
	}
	return c.SourceID()
}

// mayRead reports whether the words in a chat may be shown: readers see groups alone.
func (p *page) mayRead(c persona.Chat) bool { return p.Owner() || c.Kind == persona.Group }
