// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A contender in a measurement: its name and its work.
struct Contender {
    let name: String
    let run: () throws -> Void
}

/// The time of one call of each contender, in seconds.
///
/// In every round each contender has one turn, so that a processor that slows down or a neighbour who gets busy meets
/// all of them; the result is the median over the rounds.
func seconds(_ contenders: [Contender], rounds: Int = 11) throws -> [Double] {
    let counts = try contenders.map { try count(filling: 0.004, $0) }
    var samples = contenders.map { _ in [Double]() }
    for _ in 0..<rounds {
        for (index, contender) in contenders.enumerated() {
            samples[index].append(try time(contender, times: counts[index]) / Double(counts[index]))
        }
    }
    return samples.map { $0.sorted()[rounds / 2] }
}

/// The number of calls that fill so many seconds.
private func count(filling duration: Double, _ contender: Contender) throws -> Int {
    var count = 1
    while try time(contender, times: count) < duration { count *= 2 }
    return count
}

/// The processor time of so many calls, in seconds: what other processes take is not counted.
private func time(_ contender: Contender, times: Int) throws -> Double {
    let start = processorTime()
    for _ in 0..<times { try contender.run() }
    return processorTime() - start
}

private func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
