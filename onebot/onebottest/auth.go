package onebottest

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// token returns the bot's token; ok is false if there is none.
func (like Implementation) token(r *http.Request) (token string, ok bool) {
	header, query := r.Header.Get("Authorization"), r.URL.Query().Get("access_token")
	switch like {
	case LikeNapCat: // prefers the query to the header
		if query != "" {
			return query, true
		}
		token = afterBearer(header)
	case LikeLLBot:
		token = query
		if header != "" {
			token = afterBearer(header)
		}
	case LikeLagrange: // supports no other scheme
		token = query
		if header != "" {
			token, _ = strings.CutPrefix(header, "Bearer ")
			if token == header {
				return "", true
			}
		}
	case LikeGoCQHTTP: // any scheme, or none
		token = query
		if header != "" {
			_, after, found := strings.Cut(header, " ")
			if token = header; found {
				token = after
			}
		}
	}
	return token, token != ""
}

// afterBearer returns the result of JavaScript's split("Bearer ").pop(): the whole header for another scheme.
func afterBearer(header string) string {
	return header[strings.LastIndex("Bearer "+header, "Bearer "):]
}

// admits reports whether a bot is accepted, and the HTTP status if it is not.
func (s *Server) admits(r *http.Request, like Implementation) (status int, ok bool) {
	if s.opts.Token == "" {
		return 0, true
	}
	if like == LikeSnowLuma {
		return s.snowLumaAdmits(r)
	}
	given, brought := like.token(r)
	if subtle.ConstantTimeCompare([]byte(given), []byte(s.opts.Token)) == 1 {
		return 0, true
	}
	if brought {
		return http.StatusForbidden, false
	}
	return http.StatusUnauthorized, false
}
