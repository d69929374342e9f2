//! Authorizes a request: of a browser by its cookie or a one-time link, of a program by the token.

use askama::Template;
use axum::extract::Request;
use axum::response::{Html, IntoResponse as _, Response};
use hyper::header::{AUTHORIZATION, COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use hyper::{HeaderMap, Method, StatusCode};

use skein_format::time::Time;

use super::single_header;
use crate::credentials::{CookieState, Credentials, SESSION_AGE_MS, is_same};
use crate::error::WebError;

/// How a request was authorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthMethod {
    /// By a cookie, which a browser also sends with requests that other pages cause.
    Cookie {
        /// Whether the browser should get a new cookie.
        is_old: bool,
    },
    /// By the token itself, which a program sends on purpose. It signs as a program.
    Bearer,
}

/// The query parameter of a one-time link.
pub(crate) const ONE_TIME_PARAM: &str = "pass";

/// The query parameter of a one-time link for the fragment of the page, because the redirect has a fragment of its own.
pub(crate) const FRAGMENT_PARAM: &str = "part";

/// The query parameter of a page that reloaded itself.
const RELOADED_PARAM: &str = "again";

/// Authorizes a request, or returns the response that refuses or redirects it.
pub(super) fn check(
    keys: &Credentials,
    now: Time,
    request: &Request,
) -> Result<AuthMethod, Box<Response>> {
    let headers = request.headers();
    if headers.contains_key(AUTHORIZATION) {
        return match single_header(headers, "authorization")
            .and_then(|text| text.strip_prefix("Bearer "))
        {
            Some(token) if is_same(token.trim(), &keys.token) => match is_for_programs(request) {
                true => Ok(AuthMethod::Bearer),
                // A page contains the secrets with which a browser writes.
                false => {
                    refuse("the token of programs opens no pages, only `/api/v1` and `/events`")
                }
            },
            _ => refuse("the token is not the token of this workspace"),
        };
    }
    let is_page = is_page(request);
    let cookie = cookie(keys, headers, now);
    let known = cookie != CookieState::Bad;
    if let Some(secret) = parameter(request, ONE_TIME_PARAM).filter(|_| is_page) {
        return match (known, keys.redeem(&secret, now)) {
            (false, false) => refuse("this link was already used, or has expired"),
            (_, good) => Err(Box::new(redirect(request, good.then_some((keys, now))))),
        };
    }
    let site = single_header(headers, "sec-fetch-site");
    let from_elsewhere = !matches!(site, None | Some("same-origin" | "none"));
    let navigates = single_header(headers, "sec-fetch-mode") == Some("navigate")
        && matches!(single_header(headers, "sec-fetch-dest"), None | Some("document"));
    let again = parameter(request, RELOADED_PARAM).is_some();
    if !known && is_page && from_elsewhere && navigates && !again {
        return Err(Box::new(reload_page(request)));
    }
    if !known {
        return refuse("this browser is not authorized");
    }
    if from_elsewhere && !(is_page && navigates) {
        return refuse("cross-site requests are not allowed");
    }
    if again && is_page {
        return Err(Box::new(redirect(request, None)));
    }
    Ok(AuthMethod::Cookie { is_old: cookie == CookieState::Old })
}

fn refuse(message: &str) -> Result<AuthMethod, Box<Response>> {
    let error = WebError::new(StatusCode::FORBIDDEN, message)
        .hint("run `skein serve` in the workspace and open the link that it prints; programs send `Authorization: Bearer TOKEN`");
    Err(Box::new(error.into_response()))
}

fn is_for_programs(request: &Request) -> bool {
    let path = request.uri().path();
    path.starts_with("/api/") || path == "/events"
}

/// Returns whether the address is that of a page, and not one for scripts and programs.
fn is_page(request: &Request) -> bool {
    let path = request.uri().path();
    let is_for_programs = ["/api/", "/fragment/"].iter().any(|start| path.starts_with(start));
    request.method() == Method::GET && !is_for_programs && path != "/events"
}

fn cookie(keys: &Credentials, headers: &HeaderMap, now: Time) -> CookieState {
    let name = keys.cookie_name();
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let own = pairs.filter(|(key, _)| key.trim() == name);
    let mut states = own.map(|(_, value)| keys.check_cookie(value.trim(), now));
    states.find(|state| *state != CookieState::Bad).unwrap_or(CookieState::Bad)
}

/// Sets a new cookie.
pub(super) fn set_cookie(headers: &mut HeaderMap, keys: &Credentials, now: Time) {
    let (name, value, life) = (keys.cookie_name(), keys.cookie(now), SESSION_AGE_MS / 1000);
    let cookie = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        headers.append(SET_COOKIE, cookie);
    }
}

/// Returns a parameter whose value needs no decoding.
fn parameter(request: &Request, name: &str) -> Option<String> {
    let pairs = request.uri().query()?.split('&');
    let mut values = pairs.filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    });
    values.next().map(str::to_owned)
}

/// Redirects to the same address without the parameters of this module; with `keys`, sets a cookie and passes the keys of pages on.
///
/// The keys are in the fragment, which is not part of any request, and the page stores them for its origin. A browser sends the cookie to
/// the servers of all ports of this host, so that the cookie alone must not be able to write.
fn redirect(request: &Request, keys: Option<(&Credentials, Time)>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    let part = parameter(request, FRAGMENT_PARAM).unwrap_or_default();
    let fragment = match keys {
        Some((keys, now)) => format!("#keys={},{},{part}", keys.page, keys.resume_key(now)),
        None if part.is_empty() => String::new(),
        None => format!("#{part}"),
    };
    let address = plain_address(request) + &fragment;
    if let Ok(place) = HeaderValue::try_from(address) {
        headers.insert(LOCATION, place);
    }
    if let Some((keys, now)) = keys {
        set_cookie(headers, keys, now);
    }
    response
}

/// Returns the address without the parameters of this module.
fn plain_address(request: &Request) -> String {
    // Browsers treat a backslash as a slash, and two of them at the start as another host.
    let path = request.uri().path().replace('\\', "%5C");
    let pairs = request.uri().query().unwrap_or("").split('&');
    let is_kept = |pair: &&str| {
        let key = pair.split('=').next().unwrap_or("");
        !key.is_empty() && ![ONE_TIME_PARAM, FRAGMENT_PARAM, RELOADED_PARAM].contains(&key)
    };
    let kept: Vec<&str> = pairs.filter(is_kept).collect();
    if kept.is_empty() { path } else { format!("{path}?{}", kept.join("&")) }
}

#[derive(Template)]
#[template(path = "reload.html")]
struct ReloadPage {
    address: String,
}

/// Answers a click on another site. Browsers do not send a strict cookie with it, so the page reloads itself once.
fn reload_page(request: &Request) -> Response {
    let address = plain_address(request);
    let joint = if address.contains('?') { '&' } else { '?' };
    let page = ReloadPage { address: format!("{address}{joint}{RELOADED_PARAM}=1") };
    page.render()
        .map_or_else(|_| WebError::broken().into_response(), |page| Html(page).into_response())
}
