/* SPDX-License-Identifier: Apache-2.0 */
/* GSC/1 session layer: HOSTS processes on one reader, a token with CHANS parallel sessions, a hostile
 * half-duplex APDU link.  SPIN model; the specification is docs/GSC1.md (sections 10-16).
 *
 * Run (safety; every run of the model terminates, so "no invalid end state" is the availability result):
 *     spin -a [-D...] gsc1-sm.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m1000000
 * Every configuration below must give "errors: 0", every mutant "errors: 1".
 *   configurations   -DHOSTS=1 -DCHANS=1                          one host, one session (default)
 *                    -DHOSTS=1 -DCHANS=2                          re-opening while an older own session lingers
 *                    -DHOSTS=2 -DCHANS=1 -DGOAL=2 -DBUDGET=2      two processes take the only session from each other
 *                    -DHOSTS=2 -DCHANS=2 -DGOAL=2 -DBUDGET=2      two processes side by side
 *                    -DHOSTS=3 -DCHANS=2 -DGOAL=2 -DBUDGET=1      more processes than sessions (eviction, strikes)
 *                    -DHOSTS=2 -DCHANS=2 -DBUDGET=0 -DNMAX=8 -DISOLATION           no process ever opens twice
 *                    -DHOSTS=3 -DCHANS=2 -DBUDGET=0 -DGOAL=2 -DKILLCHECK           no kill by a stale command
 *                    -DSHARE -DHOSTS=2 -DCHANS=2 -DGOAL=2 -DBUDGET=1      a share before a card with one login (11.5)
 *   mutants          -DM_TOKEN_N                                  token does not look at n            (violates P1)
 *                    -DM_HOST_N                                   host does not look at (session, n)  (violates P2)
 *                    -DM_RETRY                  host repeats a command of unknown outcome in a new session (P1b)
 *                    -DM_NOINST -DCHANS=2                         token ignores INST at OPEN-2        (P5)
 *                    -DM_NOLOCK -DHOSTS=2 -DBUDGET=0              reader transaction per exchange, not per call (P3)
 *                    -DM_NOPROBE -DHOSTS=2 -DBUDGET=0             call starts with the non-idempotent command (P3)
 *                    -DM_STRIKE1 -DHOSTS=3 -DCHANS=2 -DBUDGET=0 -DGOAL=2 -DKILLCHECK  one bad tag kills a session (P7)
 *                    -DSHARE -DM_TWO -DHOSTS=2 -DCHANS=2          a session leaves others open on the card (P8)
 *                    -DSHARE -DM_NORESET -DHOSTS=2 -DCHANS=2      the card is not reset for the next session (P8)
 *   Tests/Model/model.sh runs all of them and fails unless each gives its verdict.
 *
 * Scope.  Cryptography is ideal: a tag is the tuple (session id, n, direction, command), which the attacker can
 * neither make nor change; it can lose, withhold, repeat and later release old messages, and inject junk and
 * bare OPEN-1, BUDGET times in all.  Renew, epochs, chaining and GET RESPONSE are not modelled; the end of a session
 * (n = NMAX) is modelled as a plain re-open.
 *
 * Properties.  P1  the token executes each (session, n) at most once and in order, without gaps.
 *   P1b a non-idempotent command is executed at most once whatever happens.
 *   P2  a reply the host accepts belongs to the command it just sent.
 *   P3  a call with an idle attacker succeeds, regardless of earlier acts of his and of other hosts.
 *   P4  a bare OPEN-1 changes no session.       P5  once a host has a verified reply in a session, nothing of its older ones runs.
 *   P6  (ISOLATION) with CHANS >= HOSTS and no attacker each host opens once.
 *   P7  (KILLCHECK) with no attacker a session ends by eviction or re-open only, never by another host's stale command.
 *   P8  (SHARE) no command is executed with the login that another process has left on the card. */
#ifndef HOSTS
#define HOSTS 1
#endif
#ifndef CHANS
#define CHANS 1
#endif
#ifndef BUDGET
#define BUDGET 3
#endif
#ifndef GOAL
#define GOAL 3          /* PKCS#11 calls per host */
#endif
#ifndef NMAX
#define NMAX 4          /* commands per session; stands for 65536 */
#endif
#define SMAX 40         /* session ids available; running out is an error of the model run */
#ifdef M_STRIKE1
#define STRIKES 1
#else
#if CHANS == 1
#define STRIKES 1
#else
#define STRIKES 3       /* stands for 8 */
#endif
#endif
mtype = { OPEN1, OPEN1R, OPEN2, OPEN2R, CMD, RSP, ERR, JUNK, NONE };
typedef Msg { mtype t; byte ch; byte sid; byte n; byte c };    /* c: command id, 0 = idempotent probe; OPEN1: instance */
chan h2a = [0] of { mtype, byte, byte, byte, byte };
chan a2h = [0] of { mtype, byte, byte, byte, byte };
chan c2t = [0] of { mtype, byte, byte, byte, byte };
chan t2c = [0] of { mtype, byte, byte, byte, byte };
byte budget = BUDGET;
byte nextsid = 1;
byte maxn[SMAX];                    /* highest n executed in a session */
bool ran[HOSTS*GOAL+1];             /* command id executed */
byte cur[HOSTS+1];                  /* newest session in which a host got a verified reply, by instance */
byte tsid[CHANS]; byte tn[CHANS]; byte tinst[CHANS]; byte tstrike[CHANS]; byte lastch = 0;
byte tpend = 0; byte tpinst = 0;
#ifdef SHARE
byte card = 0;                      /* the instance whose login is on the card behind the share */
#endif
byte lock = 0;                      /* reader transaction */
byte opens = 0;

#define XCHG(t1,a1,a2,a3,a4)  h2a!t1,a1,a2,a3,a4; a2h?m,ch,s,n,c

proctype Host(byte id) {
  mtype m; byte ch, s, n, c; byte k = 0; byte b0; byte tries;
  bool hopen = false; byte hsid = 0, hn = 0, hch = 0; bool fresh; byte outcome;   /* 0 none 1 ok 2 unknown 3 gave up */
  do
  :: k == GOAL -> break
  :: k < GOAL ->
     k++; tries = 0; fresh = false; outcome = 0;
#ifndef M_NOLOCK
     atomic { lock == 0 -> lock = 1 };
#endif
     b0 = budget;
     do
     :: outcome != 0 -> break
     :: outcome == 0 && !hopen && tries == 2 -> outcome = 3
     :: outcome == 0 && !hopen && tries < 2 ->
        tries++;
#ifdef M_NOLOCK
        atomic { lock == 0 -> lock = 1 };
#endif
        XCHG(OPEN1,0,0,0,id);
        if
        :: m == OPEN1R && c == id ->                 /* MAC_T right: s is a fresh session made for this OPEN-1 */
           hsid = s;
           XCHG(OPEN2,0,hsid,0,id);
           if
           :: m == OPEN2R && ch < CHANS -> hopen = true; hn = 1; hch = ch; opens++    /* reply not authenticated: provisional */
           :: else -> skip
           fi
        :: else -> skip
        fi;
#ifdef M_NOLOCK
        lock = 0
#endif
     :: outcome == 0 && hopen && hn >= NMAX -> hopen = false
#ifndef M_NOPROBE
     :: outcome == 0 && hopen && hn < NMAX && !fresh ->     /* idempotent command first */
#ifdef M_NOLOCK
        atomic { lock == 0 -> lock = 1 };
#endif
        XCHG(CMD,hch,hsid,hn,0);
        if
        :: m == RSP && s == hsid && n == hn && c == 0 -> cur[id] = hsid; hn++; fresh = true
        :: else -> hopen = false
        fi;
#ifdef M_NOLOCK
        lock = 0
#endif
     :: outcome == 0 && hopen && hn < NMAX && fresh ->
#else
     :: outcome == 0 && hopen && hn < NMAX ->
#endif
#ifdef M_NOLOCK
        atomic { lock == 0 -> lock = 1 };
#endif
        XCHG(CMD,hch,hsid,hn,(id-1)*GOAL+k);
        if
#ifdef M_HOST_N
        :: m == RSP ->
#else
        :: m == RSP && s == hsid && n == hn && c == (id-1)*GOAL+k ->
#endif
           assert(s == hsid && n == hn && maxn[hsid] == hn && ran[(id-1)*GOAL+k]);     /* P2 */
           cur[id] = hsid; hn++; outcome = 1
        :: else -> hopen = false;
#ifdef M_RETRY
           if :: tries < 2 -> skip :: else -> outcome = 2 fi
#else
           outcome = 2                               /* never repeated by itself */
#endif
        fi;
#ifdef M_NOLOCK
        lock = 0
#endif
     od;
     assert(outcome == 1 || budget < b0);            /* P3 */
#ifndef M_NOLOCK
     lock = 0
#endif
  od;
#ifdef ISOLATION
  assert(opens <= HOSTS)                             /* P6 */
#endif
}

inline execute(x) {
  assert(n == maxn[s] + 1 && n <= NMAX);             /* P1 */
  assert(s >= cur[tinst[x]]);                        /* P5: sids grow with time */
  maxn[s] = n;
#ifdef SHARE
  assert(card == 0 || card == tinst[x]);             /* P8 */
  card = tinst[x];
#endif
  if :: c != 0 -> assert(!ran[c]); ran[c] = true     /* P1b */
     :: else -> skip
  fi
}

proctype Token() {
  mtype m; byte ch, s, n, c; byte i, v;
end: do
  :: c2t?m,ch,s,n,c ->
     if
     :: m == OPEN1 ->
        assert(nextsid < SMAX);
        d_step { tpend = nextsid; nextsid++; tpinst = c };          /* P4: no session touched */
        t2c!OPEN1R,0,tpend,0,c
     :: m == OPEN2 ->
        if
        :: tpend != 0 && s == tpend ->
           d_step {
#ifndef M_NOINST
             i = 0; do :: i < CHANS -> if :: tsid[i] != 0 && tinst[i] == tpinst -> tsid[i] = 0 :: else -> skip fi; i++ :: else -> break od;
#endif
#ifdef SHARE
#ifndef M_TWO
             i = 0; do :: i < CHANS -> tsid[i] = 0; i++ :: else -> break od;
#endif
#ifndef M_NORESET
             card = 0;
#endif
#endif
             v = CHANS; i = 0;
             do :: i < CHANS && v == CHANS -> if :: tsid[i] == 0 -> v = i :: else -> skip fi; i++ :: else -> break od;
             if :: v == CHANS -> if :: CHANS == 1 -> v = 0 :: else -> v = 1 - lastch fi :: else -> skip fi;   /* LRU, CHANS <= 2 */
             tsid[v] = tpend; tn[v] = 1; tinst[v] = tpinst; tstrike[v] = 0; lastch = v; tpend = 0
           };
           t2c!OPEN2R,v,s,0,0
        :: else -> tpend = 0; t2c!ERR,0,0,0,0
        fi
     :: m == CMD ->
        tpend = 0;
        if
        :: ch < CHANS && tsid[ch] != 0 ->
           if
#ifdef M_TOKEN_N
           :: s == tsid[ch] ->
#else
           :: s == tsid[ch] && n == tn[ch] ->
#endif
              d_step { execute(ch); tn[ch] = n + 1; lastch = ch };
              t2c!RSP,ch,s,n,c
           :: else ->                                               /* bad tag, replay, out of order, junk */
              d_step { tstrike[ch]++;
                if :: tstrike[ch] >= STRIKES ->
#ifdef KILLCHECK
                      assert(false);                                /* P7 */
#endif
                      tsid[ch] = 0
                   :: else -> skip fi };
              t2c!ERR,0,0,0,0
           fi
        :: else -> t2c!ERR,0,0,0,0
        fi
     :: else -> tpend = 0; t2c!ERR,0,0,0,0                          /* plain junk */
     fi
  od
}

/* Medium and attacker.  One old command and one old reply are kept for later use. */
proctype Medium() {
  mtype m, om = NONE, orm = NONE; byte ch, s, n, c, och, os, on, oc, rch, rs, rn, rc;
end: do
  :: h2a?m,ch,s,n,c ->
     if :: budget > 0 && m != OPEN1 -> om = m; och = ch; os = s; on = n; oc = c
        :: true -> skip
     fi;
     if
     :: c2t!m,ch,s,n,c; t2c?m,ch,s,n,c;                                                 /* faithful forward */
        if
        :: a2h!m,ch,s,n,c
        :: budget > 0 -> budget--; orm = m; rch = ch; rs = s; rn = n; rc = c; a2h!ERR,0,0,0,0       /* reply lost or withheld */
        :: budget > 0 && orm != NONE -> budget--; a2h!orm,rch,rs,rn,rc                  /* old reply instead */
#if CHANS > 1
        :: budget > 0 && m == OPEN2R -> budget--; a2h!m,1-ch,s,n,c                      /* other channel number in the reply */
#endif
        fi
     :: budget > 0 -> budget--; a2h!ERR,0,0,0,0                                         /* command lost or withheld */
     :: budget > 0 && m == OPEN2 -> budget--; a2h!OPEN2R,0,s,0,0                        /* forged bare 9000 */
     :: budget > 0 && om != NONE -> budget--; c2t!om,och,os,on,oc; t2c?orm,rch,rs,rn,rc;          /* late release, then forward */
        c2t!m,ch,s,n,c; t2c?m,ch,s,n,c; a2h!m,ch,s,n,c
     :: budget > 0 && om != NONE -> budget--; c2t!om,och,os,on,oc; t2c?m,ch,s,n,c; c2t!om,och,os,on,oc; t2c?m,ch,s,n,c; a2h!m,ch,s,n,c  /* duplicate */
     :: budget > 0 -> budget--; c2t!OPEN1,0,0,0,HOSTS; t2c?_,_,_,_,_; c2t!CMD,0,0,0,0; t2c?_,_,_,_,_;                 /* bare OPEN-1 and junk first */
        c2t!m,ch,s,n,c; t2c?m,ch,s,n,c; a2h!m,ch,s,n,c
     fi
  od
}
init { atomic { run Token(); run Medium(); run Host(1);
#if HOSTS > 1
  run Host(2);
#endif
#if HOSTS > 2
  run Host(3)
#endif
} }
